internal import OAuthProtocol
internal import YAMLText

/// Places and values that only flows use.
extension DescriptorReader {
    static let extraKeys = [
        "endpoints", "origins", "resources", "allowed_redirects", "post_logout_redirects", "trusted",
        "values", "api_key", "hooks",
    ]

    static let apiKeyKeys = ["placement", "value"]

    /// What `provider.NAME` means already.
    private static let takenNames = ["id", "name", "issuer"] + extraKeys

    mutating func extras() -> ProviderExtras {
        var extras = ProviderExtras()
        for entry in root.mapping("endpoints", keys: nil, &diagnostics)?.entries ?? [] {
            guard isName(entry), let url = endpoint(entry.value) else { continue }
            extras.endpoints.append((entry.key, url))
        }
        extras.origins = urls("origins")
        extras.resources = urls("resources")
        extras.allowedRedirects = urls("allowed_redirects")
        extras.postLogoutRedirects = urls("post_logout_redirects")
        extras.isTrusted = root.bool("trusted", &diagnostics) ?? false
        for entry in root.mapping("values", keys: nil, &diagnostics)?.entries ?? [] {
            guard isName(entry), let text = text(entry.value, .facts) else { continue }
            extras.values.append((entry.key, text))
        }
        extras.apiKey = apiKey()
        if root["hooks"]?.mapping != nil, let hooks = root.mapping("hooks", keys: nil, &diagnostics) {
            extras.hookHeaders = hooks.strings("headers", &diagnostics) ?? []
            extras.hookQuery = hooks.strings("query", &diagnostics) ?? []
        }
        return extras
    }

    private mutating func urls(_ key: String) -> [DescriptorText] {
        (root.sequence(key, &diagnostics) ?? []).compactMap { endpoint($0) }
    }

    private mutating func isName(_ entry: YAMLMapping.Entry) -> Bool {
        let isTaken = Self.takenNames.contains(entry.key)
        guard !isTaken, FlowName.isID(entry.key) else {
            let reason =
                isTaken
                ? "\"\(entry.key)\" is a name that every provider has"
                : "a name here is lower-case letters, digits and '_', not \"\(entry.key)\""
            diagnostics.append(
                Diagnostic(code: "FL014", file: root.file, span: entry.keySpan, message: reason))
            return false
        }
        return true
    }

    private mutating func apiKey() -> APIKeyFacts? {
        guard let mapping = root.mapping("api_key", keys: Self.apiKeyKeys, &diagnostics) else {
            return nil
        }
        mapping.require("placement", "value", diagnostics: &diagnostics)
        guard let node = mapping["placement"], let value = mapping["value"],
            let text = text(value, .apiKey)
        else { return nil }
        guard let placement = Self.placement(node.scalar?.text ?? ""), !placement.isBody else {
            mapping.wrong("placement", node, "header:NAME or query:NAME", &diagnostics)
            return nil
        }
        return APIKeyFacts(placement: placement, value: text)
    }

    /// `header:NAME`, `query:NAME` or `body:NAME`.
    static func placement(_ text: String) -> TokenPlacement? {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[1].utf8.allSatisfy(isNameByte) else { return nil }
        switch parts[0] {
        case "header": return FieldName.belongsToTransport(String(parts[1])) ? nil : .field(String(parts[1]))
        case "query": return .query(String(parts[1]))
        case "body": return .body(String(parts[1]))
        default: return nil
        }
    }

    /// What names of header fields and parameters are made of in practice.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension TokenPlacement {
    fileprivate var isBody: Bool { if case .body = self { true } else { false } }
}
