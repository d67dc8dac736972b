internal import FlowEngine
internal import OAuthProtocol

/// One call of curl: what the trace shows as arguments, what it does not through the pipe.
struct ScriptRequest: Sendable {
    private var arguments: [String] = []
    /// Name of an option of curl, and its value as it stands between double quotes.
    private var options: [(name: String, value: String)] = []

    init(_ exchange: Exchange, _ variables: ScriptVariables) {
        let request = exchange.request
        let query = URLText.query(of: request)
        let hasBody = URLText.hasBody(request)
        for field in request.fields { add(field, variables) }
        if hasBody {
            addBody(request, variables)
            if request.method != "POST" { arguments.append("--request \(ShellText.quoted(request.method))") }
        } else if request.method == "HEAD" {
            arguments.append("--head")
        } else if request.method != "GET" {
            arguments.append("--request \(ShellText.quoted(request.method))")
        }
        addAddress(request, query, hasBody, variables)
    }

    // MARK: Parts

    private mutating func add(_ field: TracedParameter, _ variables: ScriptVariables) {
        // Anything else would mean something to curl.
        guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenCharacter) else { return }
        switch field.value {
        case .text(""): arguments.append("--header '\(field.name);'")
        case .text(let text): arguments.append("--header \(Self.word("\(field.name): \(text)"))")
        case .secret: option("header", "\(field.name): ", field.value, variables)
        case .prefixed(let prefix, _, _, _):
            if field.name == "Authorization", prefix.hasPrefix("Basic ") {
                addBasic(String(prefix.dropFirst(6)), field, variables)
            } else {
                option("header", "\(field.name): \(prefix)", field.value, variables)
            }
        }
    }

    /// The name in front of the secret is as it was sent; the secret is encoded like it.
    private mutating func addBasic(_ user: String, _ field: TracedParameter, _ variables: ScriptVariables) {
        guard field.reference != ClientAuthentication.rawBasicReference, user.hasSuffix(":"),
            let variable = variables.name(field.value)
        else { return option("user", user, field.value, variables) }
        options.append(("user", "\(ShellText.inDoubleQuotes(user))$(form \"${\(variable)}\")"))
    }

    private mutating func addBody(_ request: TracedRequest, _ variables: ScriptVariables) {
        if request.bodyFormat == "json" { return addJSON(request.body, variables) }
        for parameter in request.body { addForm(parameter, variables) }
    }

    private mutating func addForm(_ parameter: TracedParameter, _ variables: ScriptVariables) {
        let name = PercentEncoding.encodeForm(parameter.name)
        if let challenge = variables.challenge(parameter) {
            return arguments.append("--data-urlencode \"\(name)=${\(challenge)}\"")
        }
        switch parameter.value {
        case .text(let text): arguments.append("--data-urlencode \(Self.word("\(name)=\(text)"))")
        // An address has it encoded already.
        case .secret("code", _, _) where variables.makesAuthorizations:
            option("data", "\(name)=", parameter.value, variables)
        case .secret: option("data-urlencode", "\(name)=", parameter.value, variables)
        case .prefixed(let prefix, _, _, _):
            option("data-urlencode", "\(name)=\(prefix)", parameter.value, variables)
        }
    }

    /// A document whose secrets were taken out of it stays as the trace has it, with the placeholders.
    private mutating func addJSON(_ members: [TracedParameter], _ variables: ScriptVariables) {
        arguments.append("--header 'Content-Type: application/json'")
        guard members.contains(where: \.value.isSecret) else {
            let body = BodyText.json(ofRequest: members)
            arguments.append("--data-raw \(Self.word(body))")
            return
        }
        let places = members.filter { !$0.value.isSecret }
        var body = String(BodyText.json(ofRequest: places).dropLast())
        for member in members where member.value.isSecret {
            guard let name = variables.name(member.value) else { continue }
            if body.utf8.count > 1 { body += "," }
            body += BodyText.quoted(member.name) + ":\"\u{0}\(name)\u{0}\""
        }
        let parts = (body + "}").split(separator: "\0", omittingEmptySubsequences: false).enumerated().map {
            $0.offset % 2 == 0 ? Self.text(String($0.element)) : "${\($0.element)}"
        }
        options.append(("data-raw", parts.joined()))
    }

    private mutating func addAddress(
        _ request: TracedRequest, _ query: [TracedParameter], _ hasBody: Bool, _ variables: ScriptVariables
    ) {
        let shown = query.filter { !$0.value.isSecret }.map {
            "\(PercentEncoding.encodeQuery($0.name))=\(PercentEncoding.encodeQuery($0.value.plain))"
        }
        let hidden = query.filter(\.value.isSecret)
        if let endpoint = ScriptVariables.endpoint(request).flatMap(variables.name) {
            let pairs = shown.isEmpty ? "" : "?\(shown.joined(separator: "&"))"
            arguments.append("--url \"${\(endpoint)}\(Self.text(pairs))\"")
        } else {
            arguments.append("--url \(Self.word(URLText.joined(request.endpoint, shown)))")
        }
        if hidden.isEmpty { return }
        // Without a body curl moves the data of `--get` to the address; with one only newer versions can.
        if !hasBody { arguments.append("--get") }
        for parameter in hidden {
            let name = PercentEncoding.encodeQuery(parameter.name)
            option(hasBody ? "url-query" : "data-urlencode", "\(name)=", parameter.value, variables)
        }
    }

    private mutating func option(
        _ name: String, _ text: String, _ value: TracedValue, _ variables: ScriptVariables
    ) {
        guard let variable = variables.name(value) else { return }
        options.append((name, "\(ShellText.inDoubleQuotes(text))${\(variable)}"))
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&*+-.^_`|~".utf8.contains(byte)
        }
    }

    // MARK: Text

    private static func word(_ text: String) -> String { LoopbackPort.inSingleQuotes(ShellText.quoted(text)) }

    private static func text(_ text: String) -> String {
        LoopbackPort.inDoubleQuotes(ShellText.inDoubleQuotes(text))
    }

    private static let call = "curl --silent --show-error --globoff"

    /// As a part of a script that has `option` and `stop`, and takes members out of `answer`.
    func text(stopsAtError: Bool) -> String {
        let separator = " \\\n        "
        let all = arguments.joined(separator: separator)
        let call = stopsAtError ? "\(Self.call) --fail-with-body" : Self.call
        let end = ")\(stopsAtError ? " || stop" : "")\nprintf '%s\\n' \"$answer\"\n"
        if options.isEmpty { return "answer=$(\n    \(call)\(separator)\(all)\n\(end)" }
        let lines = options.map { "        option \($0.name) \"\($0.value)\"\n" }.joined()
        return "answer=$(\n    {\n\(lines)    } | \(call) --config -\(separator)\(all)\n\(end)"
    }

    /// The address that a browser opens, as it stands between double quotes.
    static func address(_ request: TracedRequest, _ variables: ScriptVariables) -> String {
        let pairs = URLText.query(of: request).map { parameter in
            let name = ShellText.inDoubleQuotes(PercentEncoding.encodeQuery(parameter.name))
            let variable = variables.challenge(parameter) ?? variables.name(parameter.value)
            let text = PercentEncoding.encodeQuery(parameter.value.plain)
            return "\(name)=" + (variable.map { "${\($0)}" } ?? Self.text(text))
        }
        let query = pairs.joined(separator: "&")
        let base = String(request.endpoint.prefix { $0 != "#" })
        if let endpoint = ScriptVariables.endpoint(request).flatMap(variables.name) {
            return "${\(endpoint)}" + (query.isEmpty ? "" : "?\(query)")
        }
        let sign = base.contains("?") ? "&" : "?"
        return ShellText.inDoubleQuotes(base) + (query.isEmpty ? "" : sign + query)
    }

    /// By itself. A quote or backslash in the value of a variable would need another before it.
    var command: String {
        let separator = " \\\n    "
        let all = arguments.joined(separator: separator)
        let port = LoopbackPort.isNamed(in: all) ? LoopbackPort.definition : ""
        if options.isEmpty { return "\(port)\(Self.call)\(separator)\(all)" }
        let lines = options.map { "    printf '%s = \"%s\"\\n' \($0.name) \"\($0.value)\"\n" }.joined()
        let form = ShellText.isFormUsed(in: lines) ? ShellText.form : ""
        return "\(port)\(form){\n\(lines)} | \(Self.call) --config -\(separator)\(all)"
    }
}
