/// What a file is, of those that flowrun reads.
package enum FileKind: Sendable, Hashable, CaseIterable {
    case flow, provider, registrations

    /// The keys at the top of such a file.
    var keys: [String] {
        switch self {
        case .flow: FlowReader.keys
        case .provider: ProviderReader.keys
        case .registrations: RegistrationReader.topKeys
        }
    }

    static let allKeys = Set(allCases.flatMap(\.keys))

    /// Those by which such a file is told from the YAML of other tools.
    var marks: [String] {
        switch self {
        case .flow: ["flow", "steps"]
        case .provider: ["provider"]
        case .registrations: ["registrations"]
        }
    }
}
