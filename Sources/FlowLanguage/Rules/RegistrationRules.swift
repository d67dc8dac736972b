internal import OAuthProtocol
package import YAMLText

/// A registration of `flowrun.yaml` held against the descriptor of its provider (FL099).
package enum RegistrationRules {
    /// - Parameter known: The providers that there are.
    package static func missingProvider(_ registration: Registration, known: [String]) -> Diagnostic {
        let nearest = SpellingSuggestion.nearest(to: registration.provider, in: known)
        return Diagnostic(
            code: "FL099", file: registration.file, span: registration.span,
            message: "there is no provider \"\(registration.provider)\"",
            hint: nearest.map { "did you mean \"\($0)\"?" } ?? "see: flowrun provider list",
            fix: nearest.map { Diagnostic.Fix($0) })
    }

    /// - Parameter descriptor: As it stands, or with the registration's environment on top.
    package static func check(
        _ registration: Registration, _ descriptor: ProviderDescriptor
    ) -> [Diagnostic] {
        let found =
            [environment(registration, descriptor)].compactMap(\.self)
            + registration.variables.compactMap { variable($0, registration, descriptor) }
        guard found.isEmpty else { return found }
        return addresses(registration, descriptor)
    }

    private static func environment(
        _ registration: Registration, _ descriptor: ProviderDescriptor
    ) -> Diagnostic? {
        guard let environment = registration.environment,
            let problem = descriptor.mistake(inEnvironment: environment.value)
        else { return nil }
        return misfit(registration, environment.span, problem.message, hint: problem.hint)
    }

    private static func variable(
        _ variable: Registration.Variable, _ registration: Registration, _ descriptor: ProviderDescriptor
    ) -> Diagnostic? {
        let span = variable.value.span
        guard let spec = descriptor.variables.first(where: { $0.name == variable.name }) else {
            return misfit(
                registration, span, "provider \"\(descriptor.id)\" has no variable \"\(variable.name)\"",
                hint: choice(variable.name, descriptor.variables.map(\.name), "variables"))
        }
        guard case .text(let text) = variable.value.value else { return nil }
        guard !spec.isSecret else {
            // The text itself is not repeated.
            return .credential(
                at: span, registration.file,
                "the value of variable \"\(spec.name)\" is secret and stands in the file",
                hint:
                    "say where it is: {env: NAME}, {file: PATH}, {command: [PROGRAM, ...]} or {keyring: NAME}"
            )
        }
        return spec.problem(with: spec.completed(text)).map { problem in
            misfit(registration, span, "variable \"\(spec.name)\" \(problem)", hint: spec.description)
        }
    }

    /// What the variables make of the provider's addresses, where none of them is missing.
    private static func addresses(
        _ registration: Registration, _ descriptor: ProviderDescriptor
    ) -> [Diagnostic] {
        var values: [String: String] = [:]
        var secrets: [String: Secret] = [:]
        for variable in registration.variables {
            switch variable.value.value {
            case .text(let text): values[variable.name] = text
            case .secret: secrets[variable.name] = Secret("secret", kind: .other)
            }
        }
        let isComplete = descriptor.variables.allSatisfy { spec in
            !spec.isRequired || spec.standard != nil || values[spec.name] != nil || secrets[spec.name] != nil
        }
        // A secret is read when it is needed; what would be made of it is not known here.
        guard isComplete, secrets.isEmpty else { return [] }
        do throws(BindingError) {
            _ = try descriptor.bind(variables: values)
            return []
        } catch {
            return error.problems.map { misfit(registration, registration.span, $0.message, hint: $0.hint) }
        }
    }

    private static func choice(_ word: String, _ known: [String], _ what: String) -> String {
        if let nearest = SpellingSuggestion.nearest(to: word, in: known) {
            return "did you mean \"\(nearest)\"?"
        }
        return known.isEmpty ? "it has no \(what)" : "\(what): \(known.joined(separator: ", "))"
    }

    private static func misfit(
        _ registration: Registration, _ span: SourceSpan, _ message: String, hint: String?
    ) -> Diagnostic {
        Diagnostic(code: "FL099", file: registration.file, span: span, message: message, hint: hint)
    }
}
