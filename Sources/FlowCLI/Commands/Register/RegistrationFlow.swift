internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// The flow that `register` runs: one step, with what the command line says of the client.
enum RegistrationFlow {
    /// - Parameter sendsKeys: Whether the public half of the private key goes along.
    static func load(
        method: ClientAuthenticationMethod?, sendsKeys: Bool
    ) -> LoadedFlow {
        let source = FlowSourceText.source(text(method, sendsKeys))
        let compilation = FlowCompiler.compile(source)
        guard let program = compilation.program else {
            preconditionFailure("the flow of register does not compile")
        }
        return LoadedFlow(program: program, source: source, diagnostics: [])
    }

    /// Words of the kind table stand in the text, since no input can choose them.
    private static func text(_ method: ClientAuthenticationMethod?, _ sendsKeys: Bool) -> String {
        let margin = "\n      "
        let words =
            (method.map { "\(margin)token_endpoint_auth_method: \($0.rawValue)" } ?? "")
            + (sendsKeys ? "\(margin)jwks: true" : "")
        return """
            language: flow/1
            flow: register
            version: 1
            inputs:
              redirect_uris: { type: optional list<string>, default: null }
              grant_types: { type: optional list<string>, default: null }
              client_name: { type: optional string, default: null }
              scopes: { type: optional list<string>, default: null }
              metadata: { type: optional json, default: null }
              initial_access_token: { type: optional secret, default: null }
            outputs:
              client_id: string
              secret: optional secret
              secret_expires_at: optional time
              method: string
              management_uri: optional string
              management_token: optional secret
              metadata: json
            defaults:
              timeout: 30s
              next:
                unsupported: missing
                any.security: blocked
                rate_limited: overloaded
                server_error: overloaded
                any.transient: unavailable
                any: refused
            start: register
            steps:
              register:
                with:
                  redirect_uris: ${inputs.redirect_uris}
                  grant_types: ${inputs.grant_types}
                  client_name: ${inputs.client_name}
                  scopes: ${inputs.scopes}
                  metadata: ${inputs.metadata}
                  initial_access_token: ${inputs.initial_access_token}\(words)
                next: { ok: done }
            ends:
              done:
                result: success
                outputs:
                  client_id: ${steps.register.client_id}
                  secret: ${steps.register.client_secret}
                  secret_expires_at: ${steps.register.client_secret_expires_at}
                  method: ${steps.register.token_endpoint_auth_method}
                  management_uri: ${steps.register.registration_client_uri}
                  management_token: ${steps.register.registration_access_token}
                  metadata: ${steps.register.metadata}
              missing: { result: failure, message: "The provider lets nobody register a client.", exit: 3 }
              refused: { result: failure, message: "The provider refused the registration, or its answer cannot be used.", exit: 6 }
              blocked: { result: failure, message: "An answer failed a security check.", exit: 7 }
              overloaded: { result: failure, message: "The provider cannot serve this at the moment. Try again later.", exit: 6 }
              unavailable: { result: failure, message: "The provider gave no answer.", exit: 8 }
              failed: { result: failure, exit: 9 }
            """
    }
}

/// What a provider registered, as the flow delivers it.
struct NewRegistration: Sendable {
    let clientID: String
    let secret: Secret?
    /// Milliseconds since 1970.
    let secretExpiresAt: Int64?
    let method: ClientAuthenticationMethod?
    let management: RegisteredClient.Management?
    let metadata: JSONObject

    init(_ outputs: [(name: String, value: Value)]) {
        func value(_ name: String) -> Value { outputs.first { $0.name == name }?.value ?? .null }
        func secret(_ name: String) -> Secret? {
            if case .secret(let secret) = value(name) { secret } else { nil }
        }
        clientID = value("client_id").text ?? ""
        self.secret = secret("secret")
        secretExpiresAt = if case .time(let time) = value("secret_expires_at") { time } else { nil }
        method = value("method").text.flatMap(ClientAuthenticationMethod.init)
        if let uri = value("management_uri").text, let token = secret("management_token") {
            management = RegisteredClient.Management(uri: uri, token: token)
        } else {
            management = nil
        }
        if case .json(.object(let members)) = value("metadata") { metadata = members } else { metadata = [:] }
    }

    /// A client that no provider has made.
    init(documentedAt address: String, method: ClientAuthenticationMethod?) {
        clientID = address
        secret = nil
        secretExpiresAt = nil
        self.method = method
        management = nil
        metadata = [:]
    }

    init(_ client: RegisteredClient) {
        clientID = client.clientID
        secret = client.secret
        secretExpiresAt = client.secretExpiresAt.map { $0 &* 1000 }
        method = client.authenticationMethod
        management = client.management
        metadata = client.metadata
    }
}
