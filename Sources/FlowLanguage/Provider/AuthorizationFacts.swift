package import OAuthProtocol
internal import YAMLText

package struct AuthorizationFacts: Sendable {
    package enum PKCEMode: String, Sendable, Hashable, CaseIterable {
        case auto, required, off
    }

    package enum NonceMode: String, Sendable, Hashable, CaseIterable {
        case auto, required, off
    }

    /// Where `state` travels: as the parameter, inside the redirect URI, or not at all.
    package enum StateMode: String, Sendable, Hashable, CaseIterable {
        case required
        case inRedirectURI = "in_redirect_uri"
        case off
    }

    /// Another authorization endpoint while a condition holds.
    package struct Alternative: Sendable {
        package let condition: CodeRange
        package let endpoint: DescriptorText
    }

    /// Each one scope, or a template that may stand for several, separated by spaces.
    package var scopes: [DescriptorText] = []
    package var requiredScopes: [DescriptorText] = []
    /// Where the file names scopes, as `acme.yaml:12`.
    package var scopeSource: String? { scopePlace.map { $0.layer.name(of: $0.span) } }
    var scopePlace: (layer: DescriptorLayer, span: SourceSpan)?
    package var scopeDelimiter = " "
    package var repeatsScope = false
    package var omitsEmptyScope = true
    package var responseType = "code"
    /// Whether the answer brings an ID token beside the code: the hybrid flow (OpenID Connect Core §3.3).
    package var wantsIDToken: Bool { responseType == Self.hybridType }
    static let hybridType = "code id_token"
    package var responseMode: String?
    package var pkce = PKCEMode.auto
    package var challengeMethod = PKCE.Method.s256()
    package var nonce = NonceMode.auto
    package var state = StateMode.required
    /// Whether an answer that is an error must bear `state` too.
    package var isStateRequiredOnError = true
    /// Names that a flow's `extra` may set.
    package var allowedParameters: [String] = []
    /// What stands between the endpoint and the query, after `#`.
    package var fragment: String?
    /// What stands behind the query, after `#`.
    package var trailingFragment: String?
    /// Names of parameters as they are sent: these come first.
    package var order: [String] = []
    package var alternatives: [Alternative] = []
    /// Asked for in every request, unless a flow asks for others.
    package var claims: ClaimsRequest?
    package var details: AuthorizationDetails?
    package var dialect = DialectFacts()

    package init() {}
}

package struct CallbackFacts: Sendable {
    package enum IssuerMode: String, Sendable, Hashable, CaseIterable {
        case auto, require, ignore
    }

    /// A further parameter that is kept: nobody vouches for it.
    package struct Capture: Sendable, Hashable {
        package let name: String
        package var parameter: String
        package var isJSON = false
        package var isOptional = false
        /// A value for the dry run, never used live.
        package var example: String?

    }

    /// A signature over the parameters (RFC 9700 knows none; some providers sign with the client's secret).
    package struct Signature: Sendable {
        package let parameter: String
        package let expected: DescriptorText
        /// A parameter with the seconds since 1970 at which it was made, and how old it may be.
        package let timestamp: String?
        package let maxAge: Int
    }

    package var issuer = IssuerMode.auto
    /// How the browser brings the answer, GET or POST; empty for what the response mode says.
    package var methods: [HTTPMethod] = []
    package var dialect = CallbackDialect()
    package var captures: [Capture] = []
    package var signature: Signature?

    package init() {}
}
