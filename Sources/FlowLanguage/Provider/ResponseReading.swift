internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// The response half of every operation, and what a provider's failures mean.
extension DescriptorReader {
    static let responseKeys = [
        "format", "prefix", "success_status", "error_when", "error", "unwrap", "map", "absent", "types",
        "defaults",
        "tokens", "keep", "token_types",
    ]
    static let conditionKeys = ["path", "exists", "equals", "not_equals"]

    mutating func response(_ operation: MappingReader) -> ResponseDialect {
        var dialect = ResponseDialect.standard
        guard let response = operation.mapping("response", keys: Self.responseKeys, &diagnostics) else {
            return dialect
        }
        dialect.format = response.word("format", as: ResponseDialect.Format.self, &diagnostics) ?? .auto
        dialect.prefix = response.string("prefix", &diagnostics) ?? ""
        dialect.successStatus = successStatus(response) ?? dialect.successStatus
        dialect.errorWhen = (response.sequence("error_when", &diagnostics) ?? []).compactMap {
            errorCondition($0)
        }
        let error = response.mapping("error", keys: Self.errorKeys, &diagnostics)
        dialect.errorCode = error?["code"].map { paths($0) } ?? []
        dialect.errorDescription = error?["description"].map { paths($0) } ?? []
        dialect.unwrap = response["unwrap"].map { paths($0) } ?? []
        for entry in response.names("map", &diagnostics) {
            dialect.map[entry.key] = paths(entry.value)
        }
        for entry in response.names("absent", &diagnostics) {
            dialect.absent[entry.key] = absentValues(entry.value)
        }
        if let types = response.mapping("types", keys: nil, &diagnostics) {
            for entry in types.entries {
                let type = types.word(entry.key, as: ResponseDialect.MemberType.self, &diagnostics)
                guard type != .jwt || entry.key == "expires_in" else {
                    types.wrong(
                        entry.key, entry.value, "another type: jwt is for expires_in alone", &diagnostics)
                    continue
                }
                dialect.types[entry.key] = type
            }
        }
        for entry in response.names("defaults", &diagnostics) {
            dialect.defaults[entry.key] = LiteralReader.json(entry.value)
        }
        for entry in response.names("tokens", &diagnostics) {
            dialect.tokens[entry.key] = paths(entry.value)
        }
        dialect.bearerTypes = response.strings("token_types", &diagnostics) ?? []
        dialect.keep = (response.sequence("keep", &diagnostics) ?? []).map { paths($0) }.filter {
            !$0.isEmpty
        }
        return dialect
    }

    /// One value or several, each a text, a number or a truth value.
    private mutating func absentValues(_ node: YAMLNode) -> [JSONValue] {
        (node.sequence ?? [node]).compactMap { node in
            guard node.scalar != nil, !node.isNothing else {
                report(
                    "FL016", node, "expected a value that means none, found \(node.shape)",
                    hint: node.isNothing ? "null and an empty text mean none everywhere" : nil)
                return nil
            }
            return LiteralReader.json(node)
        }
    }

    /// `2xx`, or one status.
    private mutating func successStatus(_ response: MappingReader) -> ClosedRange<Int>? {
        guard let node = response["success_status"] else { return nil }
        if node.scalar?.text == "2xx" { return 200...299 }
        if case .int(let status) = node.value, (200...299).contains(status) { return status...status }
        response.wrong("success_status", node, "2xx or a status from 200 to 299", &diagnostics)
        return nil
    }

    private mutating func errorCondition(_ node: YAMLNode) -> ResponseDialect.ErrorCondition? {
        let told = diagnostics.count
        let reader = MappingReader(
            node, "a rule of error_when", keys: Self.conditionKeys, file: root.file, &diagnostics)
        guard let reader else { return nil }
        reader.require("path", diagnostics: &diagnostics)
        let paths = reader["path"].map { self.paths($0) } ?? []
        guard !paths.isEmpty else { return nil }
        let tests = [
            reader.bool("exists", &diagnostics).map { ResponseDialect.ErrorCondition.Test.exists($0) },
            reader["equals"].map { .equals(LiteralReader.json($0)) },
            reader["not_equals"].map { .notEquals(LiteralReader.json($0)) },
        ].compactMap(\.self)
        guard tests.count == 1 else {
            // A test that cannot be read has been reported.
            if told == diagnostics.count || tests.count > 1 {
                report("FL016", node, "a rule of error_when has exactly one of exists, equals, not_equals")
            }
            return nil
        }
        return ResponseDialect.ErrorCondition(paths: paths, test: tests[0])
    }

    // MARK: Failures

    static let adviceKeys = ["match", "cause", "fix", "url", "outcome"]
    static let classificationKeys = ["if", "outcome"]
    /// What an answer of a provider may be taken for.
    static let classifiableOutcomes = [
        "invalid_grant", "rejected", "invalid_client", "rate_limited", "server_error", "unauthorized",
        "access_denied", "interaction_required", "authorization_pending", "slow_down", "expired_token",
    ]

    mutating func advice() -> AdviceFacts {
        var facts = AdviceFacts()
        for node in root.sequence("errors", &diagnostics) ?? [] {
            let reader = MappingReader(
                node, "an entry of errors", keys: Self.adviceKeys, file: root.file, &diagnostics)
            guard let reader else { continue }
            reader.require("match", "cause", diagnostics: &diagnostics)
            guard let match = match(reader), let cause = reader.string("cause", &diagnostics) else {
                continue
            }
            facts.errors.append(
                ErrorAdvice(
                    match: match, cause: cause, fix: reader.string("fix", &diagnostics),
                    url: page("url", reader),
                    outcome: reader.word("outcome", of: Self.classifiableOutcomes, &diagnostics)))
        }
        for node in root.sequence("classify", &diagnostics) ?? [] {
            let reader = MappingReader(
                node, "an entry of classify", keys: Self.classificationKeys, file: root.file, &diagnostics)
            guard let reader else { continue }
            reader.require("if", "outcome", diagnostics: &diagnostics)
            guard let condition = condition("if", in: reader, .classification),
                let outcome = reader.word("outcome", of: Self.classifiableOutcomes, &diagnostics)
            else { continue }
            facts.classification.append(ClassificationRule(condition: condition, outcome: outcome))
        }
        return facts
    }

    /// The address of a page for people; it may lead to a part of it.
    private mutating func page(_ key: String, _ reader: MappingReader) -> String? {
        guard let text = reader.string(key, &diagnostics), let node = reader[key] else { return nil }
        if let problem = EndpointURL.check(String(text.prefix { $0 != "#" }), allowLoopbackHTTP: false) {
            report("FL016", node, "\"\(text)\" \(problem.rawValue)")
        }
        return text
    }

    /// A code as it is, or a pattern that code and description are searched with.
    private mutating func match(_ reader: MappingReader) -> ErrorAdvice.Match? {
        guard let node = reader["match"], let text = node.scalar?.text, node.value != .null else {
            return nil
        }
        let isPlain = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte >= 0x30 && byte <= 0x39
                || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
        }
        if isPlain { return .code(text) }
        do throws(PatternError) {
            return .pattern(try Pattern(".*(" + text + ").*"))
        } catch {
            report("FL057", node, error.message, hint: error.hint)
            return nil
        }
    }
}
