internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The request and response half of every operation.
extension DescriptorReader {
    private static let requestKeys = [
        "method", "body_format", "params", "query", "headers", "omit", "rename",
    ]
    private static let operationKeys = requestKeys + ["response"]

    mutating func authorization() -> AuthorizationFacts {
        var facts = AuthorizationFacts()
        let keys = [
            "scope", "required_scope", "scope_delimiter", "response_mode", "pkce", "nonce", "params",
            "allow_params",
            "omit", "rename",
        ]
        guard let authorization = root.mapping("authorization", keys: keys, &diagnostics) else {
            return facts
        }
        facts.scopes = authorization.strings("scope", &diagnostics) ?? []
        facts.requiredScopes = authorization.strings("required_scope", &diagnostics) ?? []
        facts.scopeDelimiter = authorization.string("scope_delimiter", &diagnostics) ?? " "
        facts.responseMode = authorization.word("response_mode", of: ["query", "form_post"], &diagnostics)
        facts.nonce =
            authorization.word("nonce", as: AuthorizationFacts.NonceMode.self, &diagnostics) ?? .auto
        facts.pkce = proofKey(authorization)
        facts.allowedParameters = authorization.strings("allow_params", &diagnostics) ?? []
        refuseProtected(facts.allowedParameters, authorization["allow_params"])
        facts.dialect = dialect(authorization)
        for name in facts.dialect.omit where DescriptorSafety.isIndispensable(name) {
            guard let node = authorization["omit"] else { continue }
            let hint = "authorization.pkce.mode and authorization.nonce say what a server cannot take"
            report("FL068", node, "\"\(name)\" protects the user and cannot be left out", hint: hint)
        }
        return facts
    }

    private mutating func proofKey(_ authorization: MappingReader) -> AuthorizationFacts.PKCEMode {
        guard let pkce = authorization.mapping("pkce", keys: ["mode", "method"], &diagnostics) else {
            return .auto
        }
        if let node = pkce["method"], node.scalar?.text != "S256" {
            report("FL068", node, "the only method of PKCE here is S256 (RFC 9700 §2.1.1)")
        }
        return pkce.word("mode", as: AuthorizationFacts.PKCEMode.self, &diagnostics) ?? .auto
    }

    mutating func tokenOperation() -> OperationFacts {
        guard let token = root.mapping("token", keys: Self.operationKeys, &diagnostics) else {
            return .init()
        }
        return operation(token)
    }

    /// - Parameter token: The answer of a refresh is written like that of the first request where nothing else is said.
    mutating func refresh(after token: OperationFacts) -> RefreshFacts {
        var facts = RefreshFacts()
        facts.operation.response = token.response
        let keys = Self.operationKeys + ["supported", "on_missing_refresh_token", "rotation"]
        guard let refresh = root.mapping("refresh", keys: keys, &diagnostics) else {
            return facts
        }
        facts.operation = operation(refresh)
        if !refresh.has("response") { facts.operation.response = token.response }
        facts.isSupported = refresh.bool("supported", &diagnostics) ?? true
        facts.onMissingRefreshToken =
            refresh.word("on_missing_refresh_token", as: RefreshFacts.MissingRefreshToken.self, &diagnostics)
            ?? .keep
        facts.rotation = refresh.word("rotation", as: RefreshFacts.Rotation.self, &diagnostics) ?? .unknown
        return facts
    }

    mutating func userInfo() -> (facts: UserInfoFacts, example: JSONObject?) {
        var facts = UserInfoFacts()
        let keys = Self.operationKeys + ["supported", "also", "example"]
        guard let userinfo = root.mapping("userinfo", keys: keys, &diagnostics) else { return (facts, nil) }
        facts.operation = operation(userinfo)
        facts.isSupported = userinfo.bool("supported", &diagnostics) ?? true
        facts.also = (userinfo.sequence("also", &diagnostics) ?? []).compactMap { additional($0) }
        var example: JSONObject?
        if let node = userinfo["example"] {
            example = LiteralReader.json(node).objectValue
            if example == nil { userinfo.wrong("example", node, "a mapping", &diagnostics) }
        }
        return (facts, example)
    }

    private mutating func additional(_ node: YAMLNode) -> UserInfoFacts.Additional? {
        let keys = ["name", "endpoint", "when"]
        let reader = MappingReader(
            node, "a request under \"also\"", keys: keys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("name", "endpoint", diagnostics: &diagnostics)
        let condition = reader["when"].flatMap {
            ExpressionCompiler.condition($0, context, into: &code, &diagnostics)
        }
        guard let name = reader.string("name", &diagnostics), let url = reader["endpoint"],
            let endpoint = endpoint(url)
        else { return nil }
        return UserInfoFacts.Additional(name: name, endpoint: endpoint, condition: condition?.range)
    }

    /// An operation that has nothing of its own but request and response.
    mutating func operation(_ key: String) -> OperationFacts {
        root.mapping(key, keys: Self.operationKeys, &diagnostics).map { operation($0) } ?? OperationFacts()
    }

    /// The browser carries the request, so it has parameters and nothing else.
    mutating func logout() -> DialectFacts {
        root.mapping("logout", keys: ["params", "omit", "rename"], &diagnostics).map { dialect($0) }
            ?? DialectFacts()
    }

    private mutating func operation(_ mapping: MappingReader) -> OperationFacts {
        var facts = OperationFacts()
        facts.request = dialect(mapping)
        facts.response = response(mapping)
        return facts
    }

    // MARK: Requests

    private mutating func dialect(_ mapping: MappingReader) -> DialectFacts {
        var facts = DialectFacts()
        facts.method = mapping.word("method", of: ["GET", "POST"], &diagnostics).flatMap(HTTPMethod.init)
        facts.bodyFormat = mapping.word("body_format", as: BodyFormat.self, &diagnostics)
        facts.parameters = texts("params", in: mapping)
        facts.query = texts("query", in: mapping)
        facts.headers = texts("headers", in: mapping)
        facts.omit = Set(mapping.strings("omit", &diagnostics) ?? [])
        for key in ["params", "query"] {
            for entry in mapping[key]?.mapping?.entries ?? [] where DescriptorSafety.isProtected(entry.key) {
                let hint = "give it another name by rename, or leave it out by omit"
                diagnostics.append(
                    Diagnostic(
                        code: "FL058", file: root.file, span: entry.keySpan,
                        message: "\"\(entry.key)\" belongs to the engine and cannot be set", hint: hint))
            }
        }
        for entry in mapping.mapping("rename", keys: nil, &diagnostics)?.entries ?? [] {
            guard case .string(let name) = entry.value.value, !name.isEmpty else {
                report(
                    "FL016", entry.value,
                    "expected the new name of \"\(entry.key)\", found \(entry.value.shape)")
                continue
            }
            facts.rename[entry.key] = name
        }
        return facts
    }

    private mutating func refuseProtected(_ names: [String], _ node: YAMLNode?) {
        for name in names where DescriptorSafety.isProtected(name) {
            guard let node else { continue }
            report("FL058", node, "\"\(name)\" belongs to the engine and no flow may set it")
        }
    }

    // MARK: Responses

    private mutating func response(_ operation: MappingReader) -> ResponseDialect {
        var dialect = ResponseDialect.standard
        let keys = ["format", "success_status", "error_when", "error", "unwrap", "map", "types", "defaults"]
        guard let response = operation.mapping("response", keys: keys, &diagnostics) else { return dialect }
        dialect.format = response.word("format", as: ResponseDialect.Format.self, &diagnostics) ?? .auto
        dialect.successStatus = successStatus(response) ?? dialect.successStatus
        dialect.errorWhen = (response.sequence("error_when", &diagnostics) ?? []).compactMap {
            errorCondition($0)
        }
        let error = response.mapping("error", keys: ["code", "description"], &diagnostics)
        dialect.errorCode = path("code", in: error)
        dialect.errorDescription = path("description", in: error)
        dialect.unwrap = path("unwrap", in: response)
        for entry in response.mapping("map", keys: nil, &diagnostics)?.entries ?? [] {
            dialect.map[entry.key] = paths(entry.value)
        }
        if let types = response.mapping("types", keys: nil, &diagnostics) {
            for entry in types.entries {
                dialect.types[entry.key] = types.word(
                    entry.key, as: ResponseDialect.MemberType.self, &diagnostics)
            }
        }
        for entry in response.mapping("defaults", keys: nil, &diagnostics)?.entries ?? [] {
            dialect.defaults[entry.key] = LiteralReader.json(entry.value)
        }
        return dialect
    }

    /// `2xx`, or one status.
    private mutating func successStatus(_ response: MappingReader) -> ClosedRange<Int>? {
        guard let node = response["success_status"] else { return nil }
        if node.scalar?.text == "2xx" { return 200...299 }
        return response.int("success_status", in: 200...299, &diagnostics).map { $0...$0 }
    }

    private mutating func errorCondition(_ node: YAMLNode) -> ResponseDialect.ErrorCondition? {
        let keys = ["path", "exists", "equals", "not_equals"]
        let reader = MappingReader(node, "a rule of error_when", keys: keys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("path", diagnostics: &diagnostics)
        guard let path = path("path", in: reader) else { return nil }
        let tests = [
            reader.bool("exists", &diagnostics).map { ResponseDialect.ErrorCondition.Test.exists($0) },
            reader["equals"].map { .equals(LiteralReader.json($0)) },
            reader["not_equals"].map { .notEquals(LiteralReader.json($0)) },
        ].compactMap(\.self)
        guard tests.count == 1 else {
            report("FL016", node, "a rule of error_when has exactly one of exists, equals, not_equals")
            return nil
        }
        return ResponseDialect.ErrorCondition(path: path, test: tests[0])
    }
}
