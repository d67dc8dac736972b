internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The request half of every operation, and what each operation has of its own.
extension DescriptorReader {
    static let requestKeys = [
        "method", "endpoint", "allowed_hosts", "body_format", "grant_type", "params", "query", "headers",
        "omit",
        "rename", "raw", "auth", "include_client_id",
    ]
    static let operationKeys = requestKeys + ["response", "example"]
    static let refreshKeys =
        operationKeys + [
            "supported", "subject", "on_missing_refresh_token", "rotation", "early_seconds", "keep_token",
            "narrow",
        ]
    static let userinfoKeys =
        operationKeys + ["supported", "when", "token_placement", "token_scheme", "also"]
    static let alsoKeys = operationKeys + ["name", "when", "token_placement", "token_scheme"]
    static let revocationKeys = operationKeys + ["token_type", "empty_body_ok"]
    static let deviceKeys = operationKeys + ["pkce"]
    static let logoutKeys = ["params", "omit", "rename"]

    mutating func operations() -> OperationTable {
        var table = OperationTable()
        for (key, name) in Self.ownKeys { refuseOwnKey(key, name) }
        table.token = operation("token", .token)
        table.refresh = refresh(after: table.token)
        (table.userinfo, table.userinfoExample) = userInfo()
        table.revocation = revocation()
        table.introspection = operation("introspection", .introspection)
        deviceAuthorization(&table)
        table.grant = operation("grants", .grants, after: table.token)
        table.logout =
            part("logout", keys: Self.logoutKeys).map { dialect($0, .farewell) }
            ?? DialectFacts()
        for entry in root.mapping("operations", keys: nil, &diagnostics)?.entries ?? [] {
            if !FlowName.isID(entry.key) {
                report(
                    "FL014", entry.keySpan,
                    "an operation's name is lower-case letters, digits and '_', not \"\(entry.key)\"")
            }
            let reader = MappingReader(
                entry.value, .named("operation", entry.key), keys: Self.operationKeys, file: root.file,
                &diagnostics)
            guard let reader else { continue }
            reader.require("endpoint", diagnostics: &diagnostics)
            table.own.append((entry.key, operation(reader, .named)))
        }
        refuseSecondUse(of: table)
        return table
    }

    /// A code is sent once (RFC 6749 §4.1.2): who else may send it than the request for tokens does so in its place.
    private mutating func refuseSecondUse(of table: OperationTable) {
        guard !table.token.request.omit.contains("code") else { return }
        for operation in [table.userinfo.operation] + table.own.map(\.operation) {
            guard let text = operation.request.text(reading: .code) else { continue }
            let node = YAMLNode(span: text.span, content: .scalar(YAMLScalar(text: "", style: .plain)))
            report(
                "FL068", node, "the code is sent for the tokens, and no code is sent twice (RFC 6749 §4.1.2)",
                hint: "token: {omit: [code]}, where the request for tokens has no use for it")
        }
    }

    /// - Parameter token: The answer of a refresh is written like that of the first request where nothing else is said.
    private mutating func refresh(after token: OperationFacts) -> RefreshFacts {
        var facts = RefreshFacts()
        guard let refresh = part("refresh", keys: Self.refreshKeys) else {
            facts.operation = Self.inherited(token)
            return facts
        }
        facts.operation = operation(refresh, .refresh, after: token)
        facts.isSupported = refresh.bool("supported", &diagnostics) ?? true
        facts.subject =
            refresh.word("subject", as: RefreshFacts.Subject.self, &diagnostics) ?? .refreshToken
        facts.onMissingRefreshToken =
            refresh.word("on_missing_refresh_token", as: RefreshFacts.MissingRefreshToken.self, &diagnostics)
            ?? .keep
        facts.rotation = refresh.word("rotation", as: RefreshFacts.Rotation.self, &diagnostics) ?? .unknown
        facts.earlySeconds = refresh.int("early_seconds", in: 0...86_400, &diagnostics)
        facts.keepsToken = refresh.bool("keep_token", &diagnostics) ?? false
        facts.narrows = refresh.bool("narrow", &diagnostics) ?? true
        return facts
    }

    /// PKCE is on where the file says so alone: RFC 8628 knows none, and few providers do.
    private mutating func deviceAuthorization(_ table: inout OperationTable) {
        guard let device = part("device_authorization", keys: Self.deviceKeys) else { return }
        table.deviceAuthorization = operation(device, .deviceAuthorization)
        refuseToOmit(
            table.deviceAuthorization.request.omit, device,
            "device_authorization.pkce says whether it is sent at all")
        guard let pkce = device.mapping("pkce", keys: Self.pkceKeys, &diagnostics) else { return }
        let method = challengeMethod(pkce)
        let isOff = pkce.word("mode", of: Self.devicePKCEModes, &diagnostics) == "off"
        table.deviceChallengeMethod = isOff ? nil : method
    }

    static let devicePKCEModes = ["required", "off"]

    private mutating func revocation() -> RevocationFacts {
        var facts = RevocationFacts()
        guard let revocation = part("revocation", keys: Self.revocationKeys) else {
            return facts
        }
        facts.operation = operation(revocation, .revocation)
        facts.token = revocation.word("token_type", as: RevocationFacts.Token.self, &diagnostics)
        if revocation["response"]?["success_status"] != nil {
            facts.successStatus = facts.operation.response.successStatus
        }
        // Always so here: RFC 7009 §2.2 gives the body no meaning. The key is for the reader of the file.
        _ = revocation.bool("empty_body_ok", &diagnostics)
        return facts
    }

    // MARK: UserInfo

    private mutating func userInfo() -> (facts: UserInfoFacts, example: JSONObject?) {
        var facts = UserInfoFacts()
        guard let userinfo = part("userinfo", keys: Self.userinfoKeys) else {
            facts.isSupported = mayHaveUserInfo
            return (facts, nil)
        }
        facts.operation = operation(userinfo, .userinfo)
        let hasEndpoint = mayHaveUserInfo || facts.operation.request.endpoint != nil
        facts.isSupported = userinfo.bool("supported", &diagnostics) ?? hasEndpoint
        facts.condition = condition("when", in: userinfo, .request(.userinfo))
        facts.placement = placement(userinfo)
        refuseTwoCredentials(userinfo, facts.operation.request, facts.placement)
        for node in userinfo.sequence("also", &diagnostics) ?? [] {
            if let request = additional(node, facts, facts.also.map(\.name)) { facts.also.append(request) }
        }
        var example = facts.operation.example
        let whole = userinfo["example"].flatMap { LiteralReader.json($0).objectValue }
        // Examples of further answers stand beside what the wrapper is taken off from.
        for more in facts.also where example?[more.name] == nil { example?[more.name] = whole?[more.name] }
        return (facts, example)
    }

    private var mayHaveUserInfo: Bool {
        let isOAuth = root["protocol"]?.scalar?.text == ProviderDescriptor.WireProtocol.oauth2.rawValue
        return root.has("userinfo_endpoint") || mayBeDiscovered(isOAuth ? .oauth2 : .oidc)
    }

    /// - Parameter main: The request before it, whose header fields and place for the token hold here too.
    private mutating func additional(
        _ node: YAMLNode, _ main: UserInfoFacts, _ known: [String]
    ) -> UserInfoFacts.Additional? {
        let reader = MappingReader(
            node, "a request under \"also\"", keys: Self.alsoKeys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("name", "endpoint", diagnostics: &diagnostics)
        let condition = condition("when", in: reader, .request(.also))
        let operation = operation(reader, .also)
        var request = operation.request
        if !reader.has("headers") { request.headers = main.operation.request.headers }
        let isPlaced = reader.has("token_placement") || reader.has("token_scheme")
        guard let name = reader.string("name", &diagnostics), let place = reader["name"] else { return nil }
        if name == "userinfo" || known.contains(name) {
            report("FL016", place, "another answer is called \"\(name)\" already")
        }
        let placement = isPlaced ? placement(reader) : main.placement
        refuseTwoCredentials(reader, request, placement)
        return UserInfoFacts.Additional(
            name: name, condition: condition,
            operation: OperationFacts(
                request: request, response: operation.response, example: operation.example,
                responseSource: operation.responseSource),
            placement: placement)
    }

    /// `header`, `header:NAME`, `query:NAME`, `body:NAME` or `none`.
    private mutating func placement(_ operation: MappingReader) -> TokenPlacement? {
        let scheme = operation.string("token_scheme", &diagnostics)
        let standard = TokenPlacement.authorization(scheme: scheme ?? "Bearer")
        guard let node = operation["token_placement"] else { return standard }
        let text = node.scalar?.text ?? ""
        if text == "header" { return standard }
        let placement = Self.placement(text)
        if case .field(let name, _)? = placement { return .field(name, scheme: scheme) }
        if let node = operation["token_scheme"] {
            warn(
                "FL103", node, "only a header field has a word before the token",
                hint: "leave token_scheme out, or write token_placement: header:NAME")
        }
        if placement == nil, text != "none" {
            operation.wrong(
                "token_placement", node, "header, header:NAME, query:NAME, body:NAME or none",
                hint: ["query", "body"].contains(text) ? "write \(text):access_token" : nil, &diagnostics)
        }
        return placement
    }

    /// The header field `Authorization` holds one credential (RFC 9110 §11.6.2).
    private mutating func refuseTwoCredentials(
        _ mapping: MappingReader, _ request: DialectFacts, _ placement: TokenPlacement?
    ) {
        guard request.authenticationMethod == .clientSecretBasic, case .authorization? = placement,
            let node = mapping["auth"]
        else { return }
        report(
            "FL016", node, "the access token is in the header field that this needs: Authorization",
            hint: "put the token elsewhere by token_placement, or prove the client by client_secret_post")
    }

    // MARK: Requests

    /// An operation that has nothing of its own but request and response.
    ///
    /// - Parameter base: The operation that it is written like where it says nothing itself.
    private mutating func operation(
        _ key: String, _ name: DescribedOperation, after base: OperationFacts? = nil
    ) -> OperationFacts {
        guard let mapping = part(key, keys: Self.operationKeys) else {
            return base.map(Self.inherited) ?? .standard
        }
        return operation(mapping, name, after: base)
    }

    private static func inherited(_ base: OperationFacts) -> OperationFacts {
        guard base !== OperationFacts.standard else { return base }
        return OperationFacts(
            request: base.request.common, response: base.response, responseSource: base.responseSource)
    }

    private mutating func operation(
        _ mapping: MappingReader, _ name: DescribedOperation, after base: OperationFacts? = nil
    ) -> OperationFacts {
        guard mapping.hasAny(of: Self.operationKeys) else { return base.map(Self.inherited) ?? .standard }
        var request = dialect(mapping, .request(name))
        if !name.hasGrantType, let node = mapping["grant_type"] {
            warn(
                "FL103", node, "no such request has a grant_type that this could replace",
                hint: "params: {grant_type: ...} sends one")
        }
        let ownResponse = response(mapping)
        let source = responseSource(mapping)
        guard let base else {
            refuseStructures(request)
            return OperationFacts(
                request: request, response: ownResponse, example: example(mapping, ownResponse),
                responseSource: source)
        }
        let common = base.request.common
        if !mapping.has("method") { request.method = common.method }
        if !mapping.has("body_format") { request.bodyFormat = common.bodyFormat }
        if !mapping.has("headers") { request.headers = common.headers }
        if !mapping.has("rename") { request.rename = common.rename }
        if !mapping.has("auth") { request.authenticationMethod = common.authenticationMethod }
        if !mapping.has("include_client_id") { request.includesClientID = common.includesClientID }
        refuseStructures(request)
        let response = mapping.has("response") ? ownResponse : base.response
        return OperationFacts(
            request: request, response: response, example: example(mapping, response),
            responseSource: source ?? base.responseSource)
    }

    /// Only JSON has a place for lists and mappings.
    private mutating func refuseStructures(_ request: DialectFacts) {
        guard request.bodyFormat != .json else { return }
        for parameter in request.parameters {
            guard case .structure? = parameter.text.typed else { continue }
            report(
                "FL016", parameter.text.span, "a list or mapping can only stand in a JSON body",
                hint: "write body_format: json, or a text")
        }
    }

    /// What is inside of the example where that is a whole answer, with what `unwrap` takes off.
    private mutating func example(_ mapping: MappingReader, _ response: ResponseDialect) -> JSONObject? {
        guard let node = mapping["example"] else { return nil }
        guard let example = LiteralReader.json(node).objectValue else {
            mapping.wrong("example", node, "a mapping", &diagnostics)
            return nil
        }
        return response.unwrap.lazy.compactMap { $0.value(in: .object(example))?.objectValue }.first
            ?? example
    }

    mutating func dialect(_ mapping: MappingReader, _ place: DescriptorPlace) -> DialectFacts {
        var facts = DialectFacts()
        guard mapping.hasAny(of: Self.requestKeys) else { return facts }
        let operation = place.operation
        let late = operation.map { DescriptorPlace.encoded($0) } ?? place
        facts.method = mapping.word("method", of: operation?.methods ?? ["GET", "POST"], &diagnostics)
            .flatMap(HTTPMethod.init)
        facts.allowedHosts = mapping.strings("allowed_hosts", &diagnostics) ?? []
        readEndpoint(mapping, place, into: &facts)
        facts.bodyFormat = mapping.word("body_format", as: BodyFormat.self, &diagnostics)
        if facts.method == .get, facts.bodyFormat == .json, let node = mapping["body_format"] {
            report("FL016", node, "a GET has no body to be written as JSON (RFC 9110 §9.3.1)")
        }
        facts.grantType = grantType(mapping, place)
        facts.authenticationMethod = mapping.word("auth", as: ClientAuthenticationMethod.self, &diagnostics)
        facts.includesClientID = mapping.bool("include_client_id", &diagnostics) ?? false
        facts.parameters =
            operation.map { members("params", in: mapping, .parameters($0)) }
            ?? texts("params", in: mapping, place)
        facts.query = texts("query", in: mapping, late)
        facts.headers = fields("headers", in: mapping, late)
        facts.omit = Set(mapping.strings("omit", &diagnostics) ?? [])
        facts.raw = Set(mapping.strings("raw", &diagnostics) ?? [])
        facts.rename = names("rename", in: mapping)
        refuseProtectedParameters(mapping, place)
        refuseRepeatedParameters(mapping, facts, place)
        refuseTakenNames(mapping, facts, place)
        return facts
    }

    private mutating func grantType(_ mapping: MappingReader, _ place: DescriptorPlace) -> DescriptorText? {
        if let node = mapping["grant_type"], node.scalar?.text == "password" {
            report(
                "FL068", node, "a person's password is for the provider's own page alone (RFC 9700 §2.4)",
                hint: "sign in with authorize, or with device_authorize where there is no browser")
        }
        return text("grant_type", in: mapping, place)
    }

    /// What a server that wants such a parameter where none is sent most likely means.
    private static let ownValues = ["state": "${state}", "redirect_uri": "${client.redirect_uri}"]

    private mutating func refuseProtectedParameters(_ mapping: MappingReader, _ place: DescriptorPlace) {
        for entry in mapping["params"]?.mapping?.entries ?? [] {
            if place == .authorization, DescriptorSafety.isRequestObject(entry.key) {
                report(
                    "FL058", entry.keySpan, "\"\(entry.key)\" stands for the whole request (RFC 9101)",
                    hint: "for a signed one say client.request_object_signing_alg; where the server means "
                        + "something else by it, write it into authorization_endpoint")
            }
            guard DescriptorSafety.isProtected(entry.key) else { continue }
            let isSent = Self.isSent(entry.key, place)
            let value = Self.ownValues[entry.key] ?? "..."
            report(
                "FL058", entry.keySpan, "\"\(entry.key)\" belongs to the engine and cannot be set",
                hint: isSent
                    ? "give it another name by rename, or leave it out by omit"
                    : "no such request has it; for a server that wants it all the same: "
                        + "params: {x: \"\(value)\"}, rename: {x: \(entry.key)}")
        }
        // What a request bears as query beside its body is for the provider alone, like the body.
        for entry in mapping["query"]?.mapping?.entries ?? []
        where DescriptorSafety.isIndispensable(entry.key) {
            report("FL058", entry.keySpan, "\"\(entry.key)\" belongs to the engine and cannot be set")
        }
    }

    /// Parameters that have a key of their own beside `params`, by the operation.
    private static let ownKeys = [
        ("token", "grant_type"), ("refresh", "grant_type"), ("grants", "grant_type"),
        ("device_authorization", "scope"),
    ]

    /// What `params` set would be sent in place of what the run has asked for, and count as granted all the same.
    mutating func refuseOwnKey(_ operation: String, _ name: String) {
        for entry in root[operation]?["params"]?.mapping?.entries ?? [] where entry.key == name {
            let hint =
                name == "scope"
                ? "authorization.scope says what is asked for; "
                    + "rename: {scope: NAME} sends that under another name"
                : "write it beside params: \(operation): {grant_type: ...}"
            report("FL058", entry.keySpan, "\"\(name)\" belongs to the engine and cannot be set", hint: hint)
        }
    }

    /// An endpoint whose host an answer may choose only among those that are named, and nothing but the values in it.
    private mutating func readEndpoint(
        _ mapping: MappingReader, _ place: DescriptorPlace, into facts: inout DialectFacts
    ) {
        guard let node = mapping["endpoint"], let text = endpoint(node, place, isURL: true) else { return }
        facts.endpoint = text
        guard case .template = text.content else { return }
        facts.endpointStart = start(of: node, place)
        if text.isSecret { facts.endpointSecrets = secretParts(of: node, place) }
        if facts.allowedHosts.isEmpty, facts.endpointStart == nil {
            report(
                "FL068", node, "an answer chooses the host of this endpoint",
                hint: "name the hosts that it may be: allowed_hosts: [accounts.example.com]")
        }
    }

    /// The address up to the end of its host; `nil` where anything but the registration has a say in that.
    private mutating func start(of node: YAMLNode, _ place: DescriptorPlace) -> DescriptorText? {
        guard let text = node.scalar?.text, let start = DescriptorSafety.start(ofEndpoint: text) else {
            return nil
        }
        return part(start, of: node, place).flatMap { $0.readsAnswers ? nil : $0 }
    }

    private mutating func secretParts(of node: YAMLNode, _ place: DescriptorPlace) -> [DescriptorText] {
        let scalars = Array((node.scalar?.text ?? "").unicodeScalars)
        // A template that cannot be split has been reported.
        let segments = (try? TemplateScanner.segments(scalars)) ?? []
        return segments.compactMap { segment in
            guard case .expression(let range) = segment else { return nil }
            let text = part("${\(String(scalars: scalars[range]))}", of: node, place)
            return text.flatMap { $0.isSecret ? $0 : nil }
        }
    }

    /// A piece of a text that has been read: whatever is wrong with it is wrong with the whole, and reported.
    private mutating func part(
        _ text: String, of node: YAMLNode, _ place: DescriptorPlace
    ) -> DescriptorText? {
        let part = YAMLNode(span: node.span, content: .scalar(YAMLScalar(text: text, style: .doubleQuoted)))
        let reported = diagnostics
        defer { diagnostics = reported }
        return self.text(part, place)
    }
}
