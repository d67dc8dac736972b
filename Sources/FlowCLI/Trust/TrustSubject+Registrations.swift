internal import FlowLanguage
internal import OAuthProtocol

extension TrustSubject {
    /// The registrations of a project, of which secrets count that are not the project's.
    ///
    /// A program may do anything. A file outside of the folder, an entry of the keyring and a variable that was set for
    /// something else are secrets that a stranger's project has only to name to have them sent to its own server.
    init(
        registrations path: String, _ registrations: [Registration], _ surroundings: Surroundings
    ) throws(Problem) {
        let folder = FilePath.parent(of: FilePath.join(surroundings.directory, path))
        var parts: [Part] = []
        var programs: [String] = []
        var names: [String] = []
        for entry in registrations where entry.file == path {
            for (what, source) in entry.namedSources {
                guard let action = Self.action(source, of: entry.provider, in: folder) else { continue }
                parts.append(Part(owner: "\(what) of \(entry.provider)", action: action))
                guard case .command(let words) = source else { continue }
                if let name = words.first, !name.contains("/") { names.append(name) }
                programs += words.map { FilePath.join(folder, $0) }.filter { FileAccess.isFile($0) }
            }
        }
        var fingerprint = Fingerprint()
        fingerprint.add(parts)
        try fingerprint.add(files: programs.uniqued)
        try fingerprint.add(programs: names.uniqued, surroundings)
        self.init(
            path: path, claim: "takes secrets from outside of its folder", parts: parts,
            fingerprint: fingerprint)
    }

    /// `nil` for a secret of the project or of the provider itself.
    private static func action(_ source: SecretSource, of provider: String, in folder: String) -> String? {
        switch source {
        case .command(let words): return "runs \(ShellWords.quoted(words))"
        case .keyring(let name): return "keyring entry \(name)"
        case .environment(let name):
            let own = RegistrationResolver.variablePrefix(provider) + "_"
            return name.hasPrefix(own) ? nil : "variable \(name)"
        case .file(let path):
            let absolute = FilePath.join(folder, path)
            // Links lead elsewhere; what is not there yet is where its path says.
            let real = FileAccess.resolved(absolute) ?? absolute
            let root = FileAccess.resolved(folder) ?? folder
            let isInside = real.hasPrefix(root + "/") && !real.split(separator: "/").contains("..")
            return isInside ? nil : "file \(absolute)"
        }
    }
}

extension Registration {
    /// Every secret that the entry names, with what it is.
    var namedSources: [(what: String, source: SecretSource)] {
        let fields: [(String, SecretSource?)] = [
            ("client secret", secret?.value), ("private key", privateKey?.value),
            ("client assertion", assertion?.value),
            ("certificate", certificate?.value), ("certificate key", certificateKey?.value),
            ("registration access token", managementToken?.value),
        ]
        let own = fields.compactMap { what, source in source.map { (what: what, source: $0) } }
        return own
            + variables.compactMap { variable in
                guard case .secret(let source) = variable.value.value else { return nil }
                return (what: "variable \(variable.name)", source: source)
            }
    }
}
