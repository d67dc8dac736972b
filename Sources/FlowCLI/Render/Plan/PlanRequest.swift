internal import FlowEngine

/// A request of a plan: a table of what is sent, where it comes from and which rule asks for it.
enum PlanRequest {
    static func write(_ request: TracedRequest, _ page: inout Page) {
        var line = Styled("\(request.method) \(request.endpoint)", .strong)
        line.add(request.purpose == "authorization" ? "  in the browser" : "  \(request.purpose)", .dim)
        PlanStep.labelled("request", line, &page)
        var rows: [[Styled]] = []
        add(request.query, "query", &rows, of: request)
        add(request.fields, "header", &rows, of: request)
        add(request.body, request.bodyFormat, &rows, of: request)
        page.table(rows, indent: 6)
        if let method = TracedForm.clientAuthentication(request) {
            PlanStep.labelled("client", Styled("authenticates with \(method)"), &page)
        }
    }

    private static func add(
        _ parameters: [TracedParameter], _ part: String, _ rows: inout [[Styled]], of request: TracedRequest
    ) {
        for parameter in parameters {
            rows.append([
                Styled(part, .dim), Styled(parameter.name), value(parameter, of: request),
                Styled(parameter.source),
                TracedForm.reference(parameter),
            ])
        }
    }

    /// The value; a challenge by the way it is made, since the verifier is made anew for each run (RFC 7636 §4.2).
    private static func value(_ parameter: TracedParameter, of request: TracedRequest) -> Styled {
        guard parameter.name == "code_challenge", request.purpose == "authorization" else {
            return TracedForm.of(parameter.value)
        }
        let method = request.query.first { $0.name == "code_challenge_method" }
        guard case .text(let name)? = method?.value else { return TracedForm.of(parameter.value) }
        return Styled("‹\(name)(code_verifier)›", .secret)
    }
}
