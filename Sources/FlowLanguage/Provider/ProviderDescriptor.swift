package import OAuthProtocol
package import YAMLText
package import JOSE

/// What a provider's YAML file says: server facts and deviations, never code and never credentials.
///
/// Texts with `${...}` are compiled expressions of `code`; their slots are those of `DescriptorSlot` and, after them,
/// one for each of `variables`.
public struct ProviderDescriptor: Sendable {
    public enum WireProtocol: String, Sendable, Hashable, CaseIterable {
        case oidc, oauth2
    }

    public enum DiscoveryMode: String, Sendable, Hashable, CaseIterable {
        case auto, off, required
    }

    public let id: String
    public let displayName: String
    public let documentation: String?
    /// Where a person registers a client, and what to enter there.
    public let console: String?
    public let registrationHint: String?
    public let wireProtocol: WireProtocol
    /// Path of the file as shown.
    public let file: String
    /// Whether flowrun serves this provider itself for the length of a run.
    public let isSandbox: Bool

    package let variables: [VariableSpec]
    package let server: ServerFacts
    package let discovery: DiscoveryMode
    package let client: ClientFacts
    package let authorization: AuthorizationFacts
    package let callback: CallbackFacts
    package let token: OperationFacts
    package let refresh: RefreshFacts
    package let userinfo: UserInfoFacts
    package let revocation: OperationFacts
    package let introspection: OperationFacts
    package let deviceAuthorization: OperationFacts
    package let logout: DialectFacts
    package let extras: ProviderExtras
    package let idToken: IDTokenFacts
    package let claims: ClaimsFacts
    package let redirect: RedirectFacts
    /// Shapes for the dry run, never used live.
    package let userinfoExample: JSONObject?
    package let tokenLifetime: Int
    package let code: CodeTable

    package init(
        id: String, displayName: String, documentation: String?, console: String?, registrationHint: String?,
        wireProtocol: WireProtocol, file: String, isSandbox: Bool, variables: [VariableSpec],
        server: ServerFacts,
        discovery: DiscoveryMode, client: ClientFacts, authorization: AuthorizationFacts,
        callback: CallbackFacts,
        token: OperationFacts, refresh: RefreshFacts, userinfo: UserInfoFacts, revocation: OperationFacts,
        introspection: OperationFacts, deviceAuthorization: OperationFacts, logout: DialectFacts,
        extras: ProviderExtras, idToken: IDTokenFacts,
        claims: ClaimsFacts, redirect: RedirectFacts, userinfoExample: JSONObject?, tokenLifetime: Int,
        code: CodeTable
    ) {
        self.id = id
        self.displayName = displayName
        self.documentation = documentation
        self.console = console
        self.registrationHint = registrationHint
        self.wireProtocol = wireProtocol
        self.file = file
        self.isSandbox = isSandbox
        self.variables = variables
        self.server = server
        self.discovery = discovery
        self.client = client
        self.authorization = authorization
        self.callback = callback
        self.token = token
        self.refresh = refresh
        self.userinfo = userinfo
        self.revocation = revocation
        self.introspection = introspection
        self.deviceAuthorization = deviceAuthorization
        self.logout = logout
        self.extras = extras
        self.idToken = idToken
        self.claims = claims
        self.redirect = redirect
        self.userinfoExample = userinfoExample
        self.tokenLifetime = tokenLifetime
        self.code = code
    }
}

/// The slots that a descriptor's expressions may read, in this order; the descriptor's own variables follow.
package enum DescriptorSlot: Int, CaseIterable {
    case clientID, redirectURI
    /// Claims of the ID token before they are checked: for `id_token.issuer` only.
    case claims
    case token, userinfo

    package static let variableBase = DescriptorSlot.allCases.count
}

/// A text of a descriptor: fixed, or a template.
package struct DescriptorText: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case literal(String)
        case template(CodeRange)
    }

    package let content: Content
    /// As `acme.yaml:12`, for the trace.
    package let source: String
    package let span: SourceSpan

    package init(content: Content, source: String, span: SourceSpan) {
        self.content = content
        self.source = source
        self.span = span
    }
}

package struct VariableSpec: Sendable, Hashable {
    package let name: String
    package let description: String?
    package let standard: String?
    /// A value for dry runs, never used live.
    package let example: String?
    package let isRequired: Bool
    /// A value must match the whole pattern (a small safe subset: see the reader).
    package let pattern: Pattern?
    package let allowed: [String]?
    package let span: SourceSpan

    package init(
        name: String, description: String?, standard: String?, example: String? = nil, isRequired: Bool,
        pattern: Pattern?,
        allowed: [String]?, span: SourceSpan
    ) {
        self.name = name
        self.description = description
        self.standard = standard
        self.example = example
        self.isRequired = isRequired
        self.pattern = pattern
        self.allowed = allowed
        self.span = span
    }
}

/// Server metadata by the names of RFC 8414, templates not yet evaluated.
package struct ServerFacts: Sendable {
    package var issuer: DescriptorText?
    package var issuerAliases: [DescriptorText] = []
    package var metadataURL: DescriptorText?
    package var authorizationEndpoint: DescriptorText?
    package var tokenEndpoint: DescriptorText?
    package var userinfoEndpoint: DescriptorText?
    package var jwksURI: DescriptorText?
    package var revocationEndpoint: DescriptorText?
    package var introspectionEndpoint: DescriptorText?
    package var deviceAuthorizationEndpoint: DescriptorText?
    package var pushedAuthorizationRequestEndpoint: DescriptorText?
    package var registrationEndpoint: DescriptorText?
    package var endSessionEndpoint: DescriptorText?
    package var scopesSupported: [String]?
    package var codeChallengeMethodsSupported: [String]?
    package var tokenEndpointAuthMethodsSupported: [String]?
    package var idTokenSigningAlgValuesSupported: [String]?
    package var authorizationResponseIssParameterSupported: Bool?

    package init() {}
}

package struct ClientFacts: Sendable, Hashable {
    package var authenticationMethod: ClientAuthenticationMethod?
    package var idTokenSignedResponseAlgorithm: SignatureAlgorithm?

    package init() {}
}

package struct AuthorizationFacts: Sendable {
    package enum PKCEMode: String, Sendable, Hashable, CaseIterable {
        case auto, required, off
    }

    package enum NonceMode: String, Sendable, Hashable, CaseIterable {
        case auto, required, off
    }

    package var scopes: [String] = []
    package var requiredScopes: [String] = []
    package var scopeDelimiter = " "
    package var responseMode: String?
    package var pkce = PKCEMode.auto
    package var nonce = NonceMode.auto
    /// Names that a flow's `extra` may set.
    package var allowedParameters: [String] = []
    package var dialect = DialectFacts()

    package init() {}
}

/// The request half of an operation, templates not yet evaluated; see `RequestDialect` for the order of assembly.
package struct DialectFacts: Sendable {
    package var method: HTTPMethod?
    package var bodyFormat: BodyFormat?
    package var parameters: [(name: String, text: DescriptorText)] = []
    package var query: [(name: String, text: DescriptorText)] = []
    package var headers: [(name: String, text: DescriptorText)] = []
    package var omit: Set<String> = []
    package var rename: [String: String] = [:]

    package init() {}
}

package struct CallbackFacts: Sendable, Hashable {
    package enum IssuerMode: String, Sendable, Hashable, CaseIterable {
        case auto, require, ignore
    }

    package var issuer = IssuerMode.auto

    package init() {}
}

package struct OperationFacts: Sendable {
    package var request = DialectFacts()
    package var response = ResponseDialect.standard

    package init() {}
}

package struct RefreshFacts: Sendable {
    package enum MissingRefreshToken: String, Sendable, Hashable, CaseIterable {
        case keep, drop
    }

    package enum Rotation: String, Sendable, Hashable, CaseIterable {
        case singleUse = "single_use"
        case reusable, unknown
    }

    package var operation = OperationFacts()
    package var isSupported = true
    package var onMissingRefreshToken = MissingRefreshToken.keep
    package var rotation = Rotation.unknown

    package init() {}
}

package struct UserInfoFacts: Sendable {
    /// A further request whose answer joins the claims under `name`, such as a list of e-mail addresses.
    package struct Additional: Sendable {
        package let name: String
        package let endpoint: DescriptorText
        package let condition: CodeRange?

        package init(name: String, endpoint: DescriptorText, condition: CodeRange?) {
            self.name = name
            self.endpoint = endpoint
            self.condition = condition
        }
    }

    package var operation = OperationFacts()
    package var isSupported = true
    package var also: [Additional] = []

    package init() {}
}

package struct IDTokenFacts: Sendable {
    package enum NonceMode: String, Sendable, Hashable, CaseIterable {
        case required
        case whenPresent = "when_present"
        case off
    }

    /// Overrides the issuer to compare with; may read the token's own claims, as multi-tenant providers need.
    package var issuer: DescriptorText?
    package var audiences: [String] = []
    package var isRequired: Bool?
    package var nonce = NonceMode.required
    /// Seconds.
    package var clockSkew: Int?

    package init() {}
}

/// How the profile is made from the answers.
package struct ClaimsFacts: Sendable {
    package enum Source: String, Sendable, Hashable, CaseIterable {
        case idToken = "id_token"
        case userinfo, token, merge
    }

    /// The paths of one profile member, the first that is set counts; or a template.
    package enum Rule: Sendable, Hashable {
        case paths([ValuePath], type: ClaimType?)
        case template(DescriptorText)
    }

    package enum ClaimType: String, Sendable, Hashable, CaseIterable {
        case string, boolean, integer
    }

    package var source = Source.merge
    /// In the order written. Empty: the standard claims of OpenID Connect Core §5.1 by their own names.
    package var rules: [(name: String, rule: Rule)] = []

    package init() {}
}

/// Which redirect URIs the provider lets a client register.
package struct RedirectFacts: Sendable, Hashable {
    package var loopbackHosts = ["127.0.0.1"]
    /// Fixed ports; `nil` for any port (RFC 8252 §7.3).
    package var loopbackPorts: [UInt16]?
    package var loopbackPath = "/callback"
    /// The kinds of redirect URI that a client may register.
    package var kinds: [Kind] = [.loopback]

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case loopback, scheme, https
    }

    package init() {}
}
