internal import FlowReport
internal import FlowEngine

/// A request of a plan: a table of what is sent, where it comes from and which rule asks for it.
enum PlanRequest {
    static func write(_ request: TracedRequest, _ page: inout Page) {
        var line = Styled("\(request.method) ", .strong) + TracedForm.endpoint(request.endpoint)
        line.add(request.purpose == "authorization" ? "  (in the browser)" : "  (\(request.purpose))", .dim)
        if let source = request.endpointSource, TracedWords.metadataMember(request.endpoint) == nil {
            line.add("  \(source)")
        }
        PlanStep.labelled("request", line, &page)
        write(request.query, "query", of: request, &page)
        write(request.fields, "headers", of: request, &page)
        write(request.body, "body, \(request.bodyFormat)", of: request, &page)
        if let method = TracedWords.clientAuthentication(request) {
            PlanStep.labelled("client", Styled("authenticates with \(method)"), &page)
        }
    }

    private static func write(
        _ parameters: [TracedParameter], _ part: String, of request: TracedRequest, _ page: inout Page
    ) {
        if parameters.isEmpty { return }
        page.line(Styled(part, .dim), indent: 4)
        table(
            parameters.map { (Styled($0.name), value($0, of: request), $0) }, indent: 6, &page)
    }

    /// Name, value, source and rule in columns; where these do not fit, source and rule share one.
    static func table(
        _ rows: [(name: Styled, value: Styled, parameter: TracedParameter)], indent: Int, prefix: Styled = "",
        _ page: inout Page
    ) {
        let wide = rows.map {
            [$0.name, $0.value, Styled($0.parameter.source), TracedForm.reference($0.parameter.reference)]
        }
        let margin = indent + page.width(of: prefix)
        if page.fits(wide, indent: margin) { return page.table(wide, indent: indent, prefix: prefix) }
        let narrow = rows.map { row in
            var reason = Styled(TracedForm.unbroken(row.parameter.source))
            if let reference = row.parameter.reference { reason += ", " + TracedForm.reference(reference) }
            return [row.name, row.value, reason]
        }
        page.table(narrow, indent: indent, prefix: prefix)
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
