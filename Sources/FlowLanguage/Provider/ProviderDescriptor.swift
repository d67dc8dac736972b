package import JOSE
package import OAuthProtocol

/// What a provider's YAML file says: server facts and deviations, never code and never credentials.
///
/// Texts with `${...}` are compiled expressions of `code`; their slots are those of `DescriptorSlot` and, after them,
/// one for each of `variables`. What it extends and the environment that was chosen have been merged into it.
///
/// A class only because it is large: every copy of a structure would count up all that it holds. It never changes.
package final class ProviderDescriptor: Sendable {
    package enum WireProtocol: String, Sendable, Hashable, CaseIterable {
        case oidc, oauth2
    }

    package enum DiscoveryMode: String, Sendable, Hashable, CaseIterable {
        case auto, off, required
    }

    package let id: String
    package let displayName: String
    package let documentation: String?
    /// Where a person registers a client, and what to enter there.
    package let console: String?
    package let registrationHint: String?
    package let wireProtocol: WireProtocol
    /// Path of the file as shown.
    package let file: String
    /// Whether flowrun serves this provider itself for the length of a run.
    package let isSandbox: Bool

    /// Names of the environments that the file defines, in its order.
    package let environments: [String]
    /// The environment that was put on top of the rest; `nil` for the descriptor as it stands.
    package let environment: String?

    package let variables: [VariableSpec]
    package let server: ServerFacts
    package let discovery: DiscoveryMode
    package let client: ClientFacts
    package let authorization: AuthorizationFacts
    package let callback: CallbackFacts
    package let token: OperationFacts
    package let refresh: RefreshFacts
    package let userinfo: UserInfoFacts
    package let revocation: RevocationFacts
    package let introspection: OperationFacts
    package let deviceAuthorization: OperationFacts
    /// PKCE in a sign-in on another device; `nil` for none.
    package let deviceChallengeMethod: PKCE.Method?
    /// Grants of the token endpoint that no browser brings: they are written like `token` where nothing else is said.
    package let grant: OperationFacts
    /// Requests of a provider's own, which flows call by name.
    package let operations: [(name: String, operation: OperationFacts)]
    package let logout: DialectFacts
    package let extras: ProviderExtras
    package let hooks: [DescriptorHook]
    package let idToken: IDTokenFacts
    package let claims: ClaimsFacts
    package let errors: [ErrorAdvice]
    package let classification: [ClassificationRule]
    package let redirect: RedirectFacts
    /// `nil` when the file says nothing of connections.
    package let tls: TLSFacts?
    /// Shapes for the dry run, never used live.
    package let userinfoExample: JSONObject?
    package let tokenLifetime: Int
    package let code: CodeTable

    init(
        identity: consuming DescriptorIdentity, variables: [VariableSpec], server: consuming ServerFacts,
        client: consuming ClientFacts, authorization: consuming AuthorizationFacts,
        callback: consuming CallbackFacts, operations: consuming OperationTable,
        idToken: consuming IDTokenFacts, claims: consuming ClaimsFacts, advice: consuming AdviceFacts,
        redirect: consuming RedirectFacts, extras: consuming ProviderExtras, tls: TLSFacts?,
        hooks: [DescriptorHook], code: CodeTable
    ) {
        id = identity.id
        displayName = identity.displayName
        documentation = identity.documentation
        console = identity.console
        registrationHint = identity.registrationHint
        wireProtocol = identity.wireProtocol
        file = identity.file
        isSandbox = identity.isSandbox
        environments = identity.environments
        environment = identity.environment
        discovery = identity.discovery
        tokenLifetime = identity.tokenLifetime
        self.variables = variables
        self.server = server
        self.client = client
        self.authorization = authorization
        self.callback = callback
        token = operations.token
        refresh = operations.refresh
        userinfo = operations.userinfo
        userinfoExample = operations.userinfoExample
        revocation = operations.revocation
        introspection = operations.introspection
        deviceAuthorization = operations.deviceAuthorization
        deviceChallengeMethod = operations.deviceChallengeMethod
        grant = operations.grant
        self.operations = operations.own
        logout = operations.logout
        self.idToken = idToken
        self.claims = claims
        errors = advice.errors
        classification = advice.classification
        self.redirect = redirect
        self.extras = extras
        self.hooks = hooks
        self.tls = tls
        self.code = code
    }
}

/// What a descriptor says of itself.
struct DescriptorIdentity {
    var id = ""
    var displayName = ""
    var documentation: String?
    var console: String?
    var registrationHint: String?
    var wireProtocol = ProviderDescriptor.WireProtocol.oidc
    var discovery = ProviderDescriptor.DiscoveryMode.auto
    var file = ""
    var isSandbox = false
    var environments: [String] = []
    var environment: String?
    var tokenLifetime = 3_600
}

/// The requests of a descriptor.
struct OperationTable {
    var token = OperationFacts.standard
    var refresh = RefreshFacts()
    var userinfo = UserInfoFacts()
    var userinfoExample: JSONObject?
    var revocation = RevocationFacts()
    var introspection = OperationFacts.standard
    var deviceAuthorization = OperationFacts.standard
    var deviceChallengeMethod: PKCE.Method?
    var grant = OperationFacts.standard
    var own: [(name: String, operation: OperationFacts)] = []
    var logout = DialectFacts()
}

/// What a descriptor says of a provider's failures.
struct AdviceFacts {
    var errors: [ErrorAdvice] = []
    var classification: [ClassificationRule] = []
}
