/// Keys that are good elsewhere, or are called otherwise, and stand at the top of a descriptor.
enum MisplacedKey {
    /// More homes than this are no help.
    private static let mostHomes = 3

    /// Where the key belongs; `nil` for one that is known nowhere.
    static func hint(_ key: String) -> String? {
        for suffix in ["_url", "_uri"] where key.hasSuffix(suffix) {
            let endpoint = key.dropLast(suffix.count) + "_endpoint"
            if ProviderReader.keys.contains(String(endpoint)) { return "here it is \"\(endpoint)\"" }
        }
        let homes = ProviderShape.halves.filter { $0.value.hasKey(key) }.map { "\($0.name): {\(key): ...}" }
        // A descriptor may say how a secret is made; one at the top is the secret itself.
        if !DescriptorSafety.isSecretKey(key), (1...mostHomes).contains(homes.count) {
            return "write it as \(homes.joined(separator: " or "))"
        }
        guard RegistrationReader.keys.contains(key) else { return nil }
        return "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
    }
}

extension ValueShape {
    /// Whether a mapping of this shape knows the key by itself.
    fileprivate func hasKey(_ key: String) -> Bool {
        switch self {
        case .keys(let keys), .open(let keys, _): keys.contains { $0.name == key }
        case .named(_, let shape): shape.hasKey(key)
        case .template, .text, .bool, .condition, .duration, .byteCount, .type, .id, .flowID, .scalar,
            .endpoint, .matching, .integer, .number, .word, .list, .ids, .names, .selectors, .steps, .either:
            false
        }
    }
}
