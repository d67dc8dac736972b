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
        if gate.isOpen { return true }
        // A file of the user may extend one that the project has put in another's place.
        guard loaded.sources.contains(where: { library.isOfProject($0.path) }) else { return !isSteered }
        let destinations = bound.destinations()
        let subject = TrustSubject(loaded, destinations: destinations, gate.context.surroundings)
        if try gate.standing(of: subject) == .trusted { return true }
        if let known = namesake {
            // What goes nowhere else is as good as what it stands in for.
            guard BoundDescriptor.stays(destinations, within: known) else {
                try gate.admit(subject)
                return true
            }
            return !isSteered
        }
        guard takesSecretsOfUser else { return false }
        try gate.admit(subject)
        return true
    }

    /// Whether the project says where the file leads: its values of variables may be hosts.
    private var isSteered: Bool {
        let found = registration.found
        let places = found.variables.map(\.value.place) + found.secretVariables.map(\.value.place)
        return (places + [found.environment?.place].compactMap(\.self)).contains { isOfProject($0) }
    }

    private func isOfProject(_ place: RegistrationPlace) -> Bool {
        guard case .file(let path, _) = place else { return false }
        return library.isOfProject(path)
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
            if case .file = secret.place { !isOfProject(secret.place) } else { false }
        }
    }
}

extension FoundRegistration {
    var secrets: [Found<SecretLocation>] {
        [secret, privateKey, assertion, certificate, certificateKey].compactMap(\.self)
            + secretVariables.map(\.value)
    }
}
