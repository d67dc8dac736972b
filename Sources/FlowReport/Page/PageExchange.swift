internal import FlowEngine

/// A request and its answer: every parameter with where it comes from and the rule that asks for it.
struct PageExchange: Sendable {
    private let exchange: Exchange
    private let variables: ScriptVariables
    private let isDryRun: Bool

    init(_ exchange: Exchange, _ variables: ScriptVariables, isDryRun: Bool) {
        self.exchange = exchange
        self.variables = variables
        self.isDryRun = isDryRun
    }

    private var request: TracedRequest { exchange.request }

    var content: Markup {
        """
        <article class="exchange">
        <h4><span class="method">\(request.method)</span> <code>\(request.endpoint)</code></h4>
        <p class="line">\(PageParts.badge(request.purpose))\(attempt)\(status)\(source)</p>
        \(times)\(parameters)\(answer)\(curl)</article>

        """
    }

    // MARK: First lines

    private var attempt: Markup {
        exchange.attempt > 1 ? " \(PageParts.badge("attempt \(exchange.attempt)", .warn))" : .empty
    }

    private var status: Markup {
        switch exchange.answer {
        case .response(let response, _):
            let tone: PageParts.Tone = response.status < 400 ? .good : exchange.isPending ? .plain : .bad
            let phrase = HTTPStatusText.of(response.status)
            let size = [response.contentType, "\(response.bytes) bytes"].compactMap(\.self)
            let made = isDryRun ? " made up, " : " "
            return
                " \(PageParts.badge("\(response.status) \(phrase)", tone))<span class=\"quiet\">\(made)\(size.joined(separator: ", "))</span>"
        case .failure(let cause, let delivered, let message, _):
            let fate = delivered ? "may have arrived" : "did not arrive"
            return
                " \(PageParts.badge(cause, .bad)) \(message) <span class=\"quiet\">(the request \(fate))</span>"
        case nil:
            return exchange.isBrowser ? " <span class=\"quiet\">in the browser</span>" : .empty
        }
    }

    private var source: Markup {
        request.endpointSource.map { "<span class=\"quiet\">, address from \($0)</span>" } ?? .empty
    }

    /// Where the time of the exchange went.
    private var times: Markup {
        guard let response = exchange.response, let total = response.duration else { return .empty }
        guard let phases = response.phases else { return "<p class=\"quiet\">\(SpanText.of(total))</p>\n" }
        let ends = [
            ("name", phases.resolved), ("connection", phases.connected), ("TLS", phases.secured),
            ("answer", phases.answered), ("body", total),
        ]
        var last: Int64 = 0
        var parts: [String] = []
        for (label, end) in ends {
            if end > last { parts.append("\(label) \(SpanText.of(end - last))") }
            last = max(last, end)
        }
        let detail = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
        return "<p class=\"quiet\">\(SpanText.of(total))\(detail)</p>\n"
    }

    // MARK: Parameters

    private var parameters: Markup {
        let bodyName = request.bodyFormat == "json" ? "Body, JSON" : "Body, form"
        let groups = [
            ("Query", URLText.query(of: request)), ("Header fields", request.fields),
            (bodyName, URLText.hasBody(request) ? request.body : []),
        ]
        return groups.map { title, parameters in
            PageParts.table(
                "\(title) of the \(request.purpose) request", head: [title, "Value", "From", "Rule"],
                parameters.map { parameter in
                    [
                        PageParts.name(parameter.name), PageParts.value(parameter.value),
                        "\(parameter.source)",
                        PageParts.reference(parameter.reference),
                    ]
                })
        }.joined()
    }

    private var answer: Markup {
        guard let response = exchange.response else { return .empty }
        let fields = response.fields.map { [PageParts.name($0.name), PageParts.value($0.value)] as [Markup] }
        let members = response.members.map {
            [PageParts.name($0.name), PageParts.value($0.value)] as [Markup]
        }
        let table = PageParts.table(
            "Answer to the \(request.purpose) request", head: ["Answer", "Value"], members)
        let isLong = members.count > 12
        let shown: Markup =
            isLong
            ? "<details class=\"more\"><summary>\(members.count) members in the answer</summary>\n\(table)</details>\n"
            : table
        let rest: Markup =
            fields.isEmpty
            ? .empty
            : "<details class=\"more\"><summary>Header fields of the answer</summary>\n\(PageParts.table("Header fields of the answer", head: ["Field", "Value"], fields))</details>\n"
        return shown + rest
    }

    // MARK: The same with curl

    private var curl: Markup {
        if exchange.isBrowser { return .empty }
        let command = ScriptRequest(exchange, variables).command
        return """
            <details class="more"><summary>The same with curl</summary>
            <div class="copy"><pre tabindex="0"><code>\(command)</code></pre>
            <button type="button" data-copy hidden>Copy</button></div></details>

            """
    }
}
