/// Keys that are good elsewhere in a descriptor, or are called otherwise.
enum MisplacedKey {
    /// More homes than this are no help.
    private static let mostHomes = 3
    /// Nobody means them in a part.
    private static let titles = ["provider", "display_name", "documentation", "protocol"]

    /// Where a key that stands at the top of a descriptor belongs; `nil` for one that is known nowhere.
    static func hint(_ key: String) -> String? {
        let ours = OtherNames.descriptor.ours(key)
        if ProviderReader.keys.contains(ours) { return "here it is \"\(ours)\"" }
        return home(ours, besides: nil) ?? registration(key)
    }

    /// Where a key that stands in the part of a descriptor belongs.
    static func hint(_ key: String, in part: String) -> String? {
        let ours = OtherNames.descriptor.ours(key)
        let shape = ProviderShape.halves.first { $0.name == part }
        if shape?.value.hasKey(ours) == true { return "here it is \"\(ours)\"" }
        for top in [ours, "\(part)_\(ours)"] where ProviderReader.keys.contains(top) && !titles.contains(top)
        {
            return "at the top of the file there is \"\(top)\""
        }
        return home(ours, besides: part) ?? registration(key)
    }

    /// The parts that know the key.
    private static func home(_ key: String, besides part: String?) -> String? {
        let homes = ProviderShape.halves.filter { $0.name != part && $0.value.hasKey(key) }
        // A descriptor may say how a secret is made; one that is written out is the secret itself.
        guard !DescriptorSafety.isSecretKey(key), (1...mostHomes).contains(homes.count) else { return nil }
        return "write it as \(homes.map { "\($0.name): {\(key): ...}" }.joined(separator: " or "))"
    }

    private static func registration(_ key: String) -> String? {
        guard RegistrationReader.keys.contains(key) else { return nil }
        return "it belongs to a registration in flowrun.yaml, as flowrun provider add writes it"
    }
}

extension DescriptorReader {
    /// Reads a part of the descriptor that has keys of its own.
    mutating func part(_ name: String, keys: @autoclosure () -> [String]) -> MappingReader? {
        root.mapping(name, keys: keys(), elsewhere: { MisplacedKey.hint($0, in: name) }, &diagnostics)
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
