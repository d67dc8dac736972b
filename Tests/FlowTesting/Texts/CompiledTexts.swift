package import FlowEngine
package import FlowLanguage
package import OAuthProtocol
internal import Testing
package import YAMLText

/// A text that a test wrote and that does not compile.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Programs, providers and plans from texts, everything else by default.
package enum Compiled {
    /// The program of a flow file with nothing wrong with it.
    package static func program(_ text: String, path: String = "example.flow.yaml") throws -> FlowProgram {
        let compilation = FlowCompiler.compile(SourceFile(path: path, text: text))
        guard let program = compilation.program else {
            throw FixtureError(description: lines(compilation.diagnostics))
        }
        return program
    }

    /// A descriptor with nothing wrong with it.
    package static func descriptor(_ text: String, path: String = "p.yaml") throws -> ProviderDescriptor {
        let reading = ProviderReader.read(SourceFile(path: path, text: text))
        guard let descriptor = reading.descriptor else {
            throw FixtureError(description: lines(reading.diagnostics))
        }
        return descriptor
    }

    fileprivate static func lines(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map { "\($0.span.start): \($0.severity.rawValue)[\($0.code)]: \($0.message)\n" }.joined()
    }

    package static func provider(
        _ text: String = ProviderText.standard, path: String = "p.yaml", clientID: String = Markers.clientID,
        secret: String? = Markers.clientSecret, privateKey: String? = nil, variables: [String: String] = [:],
        method: ClientAuthenticationMethod? = nil, registeredScopes: [String] = [],
        demandedScopes: [String] = [], unreadSecret: String? = nil, isRehearsal: Bool = false,
        isVetted: Bool = true
    ) throws -> BoundProvider {
        let descriptor = try descriptor(text, path: path)
        return BoundProvider(
            descriptor: descriptor, bound: try descriptor.bind(variables: variables),
            registration: ClientRegistration(
                clientID: clientID, secret: secret.map { Secret($0, kind: .clientSecret) },
                authenticationMethod: secret == nil ? .none : .clientSecretBasic,
                privateKey: privateKey.map { Secret($0, kind: .other) }),
            extraScopes: registeredScopes + demandedScopes, demandedScopes: demandedScopes, method: method,
            isRehearsal: isRehearsal, isVetted: isVetted, unreadSecret: unreadSecret)
    }

    /// A live plan of a flow text for one provider.
    package static func plan(
        _ flow: String, provider: String = ProviderText.standard, inputs: [String: Value] = [:],
        redirectURI: String? = nil, privateKey: String? = nil
    ) throws -> RunPlan {
        let program = try program(flow)
        let provider = try Self.provider(provider, privateKey: privateKey)
        return RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues(inputs), redirectURI: redirectURI)
    }

    package static func plan(_ flow: String, bound provider: BoundProvider) throws -> RunPlan {
        let program = try program(flow)
        return RunPlan(
            program: program, providers: program.providers.map { _ in provider },
            inputs: try program.inputValues([:]))
    }

    /// A plan that nothing is performed for.
    package static func rehearsal(
        _ flow: String, provider: String = ProviderText.standard, inputs: [String: Value] = [:],
        assume: [String] = []
    ) throws -> RunPlan {
        let program = try program(flow)
        return try rehearsal(
            program, Self.provider(provider), inputs: inputs, assume.compactMap(Assumption.init))
    }

    package static func rehearsal(
        _ program: FlowProgram, _ provider: BoundProvider, inputs: [String: Value] = [:],
        _ assumptions: [Assumption] = []
    ) throws -> RunPlan {
        let providers = program.providers.map { _ in provider }
        let synthetic = SyntheticInputs.values(of: program, providers)
        return RunPlan(
            program: program, providers: providers,
            inputs: zip(program.inputs, synthetic).map { row, value in inputs[row.name] ?? value },
            assumptions: assumptions, isRehearsal: true)
    }
}

/// The files of `flows/` and `providers/`.
package enum Shipped {
    package static func flows() throws -> [String] { try Repository.names(in: "flows", suffix: ".flow.yaml") }

    package static func providers() throws -> [String] {
        try Repository.names(in: "providers", suffix: ".yaml")
    }

    /// Compiled once for all tests.
    private static let programs = Result {
        try Dictionary(
            uniqueKeysWithValues: flows().map { name in
                let path = "flows/\(name).flow.yaml"
                return (name, try Compiled.program(try Repository.text(of: path), path: path))
            })
    }

    package static func program(_ name: String) throws -> FlowProgram {
        guard let program = try programs.get()[name] else {
            throw FixtureError(description: "there is no flow \(name)")
        }
        return program
    }

    /// Read once for all tests.
    private static let readings = Result {
        try Dictionary(
            uniqueKeysWithValues: providers().map { name in
                // A parent that is not there is a finding of the file that names it.
                (name, ProviderReader.check(try file(name)) { try? file($0) })
            })
    }

    /// A descriptor with all that is wrong with it and with its environments.
    package static func reading(_ provider: String) throws -> ProviderReading {
        guard let reading = try readings.get()[provider] else {
            throw FixtureError(description: "there is no provider \(provider)")
        }
        return reading
    }

    package static func descriptor(_ provider: String) throws -> ProviderDescriptor {
        let reading = try reading(provider)
        guard let descriptor = reading.descriptor else {
            throw FixtureError(description: Compiled.lines(reading.diagnostics))
        }
        return descriptor
    }

    package static func file(_ provider: String) throws -> SourceFile {
        let path = "providers/\(provider).yaml"
        return SourceFile(path: path, text: try Repository.text(of: path))
    }

    /// A provider's environment, for a client or a place of another kind.
    package struct Environment: Sendable {
        package let provider: String
        package let name: String
    }

    package static func environments() throws -> [Environment] {
        try providers().flatMap { provider in
            try descriptor(provider).environments.map { Environment(provider: provider, name: $0) }
        }
    }

    /// A descriptor with the shipped ones that it extends.
    package static func descriptor(
        _ file: SourceFile, environment: String? = nil
    ) throws -> ProviderDescriptor {
        // A parent that is not there is a finding of the file that names it.
        let reading = ProviderReader.read(file, environment: environment) { try? Self.file($0) }
        guard let descriptor = reading.descriptor else {
            throw FixtureError(description: Compiled.lines(reading.diagnostics))
        }
        return descriptor
    }

    /// A provider with an invented client, and an example for every variable that has no default; nothing is signed with
    /// those.
    package static func provider(
        _ name: String, environment: String? = nil, clientID: String = "<client-id>"
    ) throws -> BoundProvider {
        let descriptor =
            try environment.map { try Self.descriptor(try file(name), environment: $0) }
            ?? Self.descriptor(name)
        let open = descriptor.variables.filter { $0.standard == nil }.map { variable in
            (variable.name, variable.example ?? example(of: variable))
        }
        let isPublic =
            descriptor.client.authenticationMethod == ClientAuthenticationMethod.none
            && !descriptor.needsClientSecret
        return BoundProvider(
            descriptor: descriptor,
            bound: try descriptor.bind(variables: Dictionary(uniqueKeysWithValues: open)),
            registration: ClientRegistration(
                clientID: clientID,
                secret: isPublic
                    ? nil : Secret("rehearsed client secret, which opens nothing", kind: .clientSecret),
                authenticationMethod: isPublic ? .none : .clientSecretBasic,
                privateKey: Secret(TestKey.pem, kind: .other)), isRehearsal: true)
    }

    private static func example(of variable: VariableSpec) -> String {
        variable.isSecret ? TestKey.pem : "https://\(variable.name).example"
    }

    /// A rehearsal of a shipped flow: providers as the flow names them, inputs made up where none is given.
    ///
    /// - Parameter provider: The flow's first one.
    package static func rehearsal(
        _ program: FlowProgram, provider: String? = nil, inputs: [(name: String, value: Value)] = [],
        _ assumptions: [Assumption] = [], given: [(path: String, value: Value)] = []
    ) throws -> RunPlan {
        let providers = try program.providers.enumerated().map { index, slot in
            try Self.provider((index == 0 ? provider : nil) ?? slot.standard?.value ?? "sandbox")
        }
        let synthetic = SyntheticInputs.values(of: program, providers)
        let values = zip(program.inputs, synthetic).map { row, value in
            inputs.last { $0.name == row.name }?.value ?? value
        }
        return RunPlan(
            program: program, providers: providers, inputs: values, assumptions: assumptions,
            isRehearsal: true, given: given)
    }

    /// One shipped flow with one shipped provider.
    package struct Pair: Sendable, CustomTestStringConvertible {
        package let flow: String
        package let provider: String

        package var testDescription: String { "\(flow) with \(provider)" }
    }

    /// The providers that every flow is tried with; they differ in what matters to flows.
    package static let examples = ["custom-oidc", "firebase", "github", "google", "microsoft", "sandbox"]

    /// Every shipped flow with the examples, and the sign-in with every shipped provider.
    package static func pairs() throws -> [Pair] {
        let providers = try providers()
        return try flows().flatMap { flow in
            (flow == "login" ? providers : examples).map { Pair(flow: flow, provider: $0) }
        }
    }
}
