internal import FlowEngine
internal import FlowLanguage
internal import YAMLText

/// Whether somebody stands for a provider file: whoever installed flowrun, the user, or the user's word about a project's.
///
/// A file that lies in the folder of a project may have the name of a provider that the user knows and send what is the
/// user's somewhere else.
struct ProviderVetting: Sendable {
    let loaded: LoadedProvider
    let bound: BoundDescriptor
    let registration: ResolvedRegistration
    let gate: TrustGate

    private var library: Library { gate.context.library }

    /// - Throws: When the file would send the user's secrets where nobody has agreed to.
    func isVetted() throws(Problem) -> Bool {
        guard library.isOfProject(loaded.source.path), !gate.isOpen else { return true }
        let destinations = bound.destinations()
        let subject = TrustSubject(loaded, destinations: destinations)
        if try gate.standing(of: subject) == .trusted { return true }
        if let known = namesake {
            // What goes nowhere else is as good as what it stands in for.
            if !destinations.isSubset(of: known) { try gate.admit(subject) }
            return true
        }
        guard takesSecretsOfUser else { return false }
        try gate.admit(subject)
        return true
    }

    /// Where the file of the same name sends secrets that would hold outside of the project; `nil` without one.
    private var namesake: Set<String>? {
        let id = loaded.descriptor.id
        guard
            let other = try? library.withoutProject.provider(id, environment: loaded.descriptor.environment)
        else { return nil }
        let names = Set(other.descriptor.variables.map(\.name))
        // With variables that it does not take it sends nothing anywhere.
        let bound = try? other.descriptor.bind(
            variables: registration.variables.filter { names.contains($0.key) },
            secrets: registration.secretVariables.filter { names.contains($0.key) })
        return bound?.destinations() ?? []
    }

    private var takesSecretsOfUser: Bool {
        registration.found.secrets.contains { secret in
            guard case .file(let path, _) = secret.place else { return false }
            return !library.isOfProject(path)
        }
    }
}

extension FoundRegistration {
    var secrets: [Found<SecretLocation>] {
        [secret, privateKey, certificate, certificateKey].compactMap(\.self) + secretVariables.map(\.value)
    }
}
