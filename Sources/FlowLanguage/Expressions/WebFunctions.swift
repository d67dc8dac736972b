internal import JOSE
internal import OAuthProtocol

extension FunctionTable {
    static let webFunctions: [FunctionRow] = [
        FunctionRow("origin", [.text], .type(.optional(.string))) { arguments in
            endpoint(arguments, 0).map { .string($0.origin) } ?? .null
        },
        FunctionRow("host", [.text], .type(.optional(.string))) { arguments in
            endpoint(arguments, 0).map { .string($0.host) } ?? .null
        },
        FunctionRow("same_origin", [.text, .text], .type(.bool)) { arguments in
            guard let left = endpoint(arguments, 0), let right = endpoint(arguments, 1) else {
                return .bool(false)
            }
            return .bool(left.origin == right.origin)
        },
        FunctionRow("with_query", [.text, .members], .sameAsFirst, .followsArgument(0)) { arguments in
            guard let text = arguments.text(0), let items = arguments.members(1) else { return .null }
            return .string(adding(QueryItems.encode(items), to: text))
        },
        FunctionRow("allowed_url", [.anything, .texts], .type(.optional(.url)), .followsArgument(1)) {
            arguments in
            guard let text = arguments.text(0), let rules = arguments.texts(1) else { return .null }
            return AllowedURL.allows(text, rules) ? .string(text) : .null
        },
        FunctionRow("form", [.members], .type(.string)) { arguments in
            .string(String(decoding: FormBody.encode(arguments.members(0) ?? []), as: UTF8.self))
        },
        FunctionRow("urlencode", [.text], .type(.string)) { arguments in
            arguments.text(0).map { .string(PercentEncoding.encodeQuery($0)) } ?? .null
        },
        FunctionRow("base64url", [.encodable], .type(.string)) { arguments in
            arguments.bytes(0).map { .string(Base64URL.encode($0)) } ?? .null
        },
        FunctionRow("base64", [.encodable], .type(.string)) { arguments in
            arguments.bytes(0).map { .string(Base64.encode($0)) } ?? .null
        },
        FunctionRow("hex", [.encodable], .type(.string)) { arguments in
            arguments.bytes(0).map { .string(Hexadecimal.encode($0)) } ?? .null
        },
        FunctionRow("sha256", [.material], .type(.bytes), .declassifies) { arguments in
            arguments.bytes(0).map { bytes(Digest.sha256($0)) } ?? .null
        },
        FunctionRow("hmac_sha256", [.material, .material], .type(.bytes), .declassifies) { arguments in
            guard let key = arguments.bytes(0), let message = arguments.bytes(1) else { return .null }
            return bytes(HMAC.sha256(key: key, message: message))
        },
        FunctionRow("fingerprint", [.material], .type(.string), .declassifies) { arguments in
            Fingerprint.text(of: arguments[0], bytes: arguments.bytes(0)).map(Value.string) ?? .null
        },
    ]

    /// Before a fragment, after what is in the query already.
    private static func adding(_ query: String, to url: String) -> String {
        guard !query.isEmpty else { return url }
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let start = url[..<end]
        let mark: String
        switch start.utf8.last {
        case UInt8(ascii: "?"), UInt8(ascii: "&"): mark = start.utf8.contains(UInt8(ascii: "?")) ? "" : "?"
        default: mark = start.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        }
        return start + mark + query + url[end...]
    }

    private static func endpoint(_ arguments: FunctionArguments, _ index: Int) -> EndpointURL? {
        // A text that is no https URL has no origin.
        arguments.text(index).flatMap { try? EndpointURL($0, allowLoopbackHTTP: true) }
    }

    static func bytes(_ bytes: [UInt8]) -> Value { .list(bytes.map { .int(Int64($0)) }) }
}
