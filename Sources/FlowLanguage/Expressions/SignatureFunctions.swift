internal import JOSE

extension FunctionTable {
    /// What interfaces sign their requests with, beside `hmac_sha256` and `sha256`.
    static let signatureFunctions: [FunctionRow] = [
        FunctionRow("md5", [.material], .type(.bytes), .declassifies) { arguments in
            arguments.bytes(0).flatMap { Digest.md5($0) }.map(bytes) ?? .null
        },
        FunctionRow("rsa_sha256", [.material, .material], .type(.bytes), .declassifies) { arguments in
            guard let key = arguments.bytes(0), let message = arguments.bytes(1) else { return .null }
            return RequestSignature.rsaSHA256(message, keyText: key).map(bytes) ?? .null
        },
        FunctionRow("pairs", [.members, .text, .text], .type(.string)) { arguments in
            guard let sign = arguments.text(1), let separator = arguments.text(2) else { return .null }
            let items = (arguments.members(0) ?? []).filter { !$0.value.isEmpty }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            return ValueBounds.joined(items.map { $0.name + sign + $0.value }, separator: separator)
        },
    ]
}
