package import JOSE
package import OAuthProtocol

/// The request half of an operation, templates not yet evaluated; see `RequestDialect` for the order of assembly.
package struct DialectFacts: Sendable {
    package var method: HTTPMethod?
    /// In place of the endpoint of the server metadata.
    package var endpoint: DescriptorText?
    /// The beginning of an `endpoint` with expressions, up to the end of its host; `nil` where an answer has a say in that.
    package var endpointStart: DescriptorText?
    /// The expressions of `endpoint` that a secret flows into.
    package var endpointSecrets: [DescriptorText] = []
    /// Hosts that `endpoint` may lead to, `*.` for what lies below one; empty where the text itself fixes the host.
    package var allowedHosts: [String] = []
    package var bodyFormat: BodyFormat?
    package var grantType: DescriptorText?
    package var authenticationMethod: ClientAuthenticationMethod?
    package var includesClientID = false
    package var parameters: [(name: String, text: DescriptorText)] = []
    package var query: [(name: String, text: DescriptorText)] = []
    package var headers: [(name: String, text: DescriptorText)] = []
    package var omit: Set<String> = []
    package var rename: [String: String] = [:]
    package var raw: Set<String> = []

    package init() {}

    /// Whether anything of the request is made of the value.
    package func reads(_ slot: DescriptorSlot) -> Bool { text(reading: slot) != nil }

    /// The first text that is made of the value.
    func text(reading slot: DescriptorSlot) -> DescriptorText? {
        let texts = [endpoint, grantType].compactMap(\.self) + (parameters + query + headers).map(\.text)
        return texts.first { $0.reads(slot) }
    }

    /// What every request to the token endpoint is likely to share with the first.
    var common: DialectFacts {
        var facts = DialectFacts()
        facts.method = method
        facts.bodyFormat = bodyFormat
        facts.authenticationMethod = authenticationMethod
        facts.includesClientID = includesClientID
        facts.headers = headers
        facts.rename = rename
        return facts
    }
}

/// One request and its answer.
///
/// A class so that the many operations of which a descriptor says nothing are one and the same. It never changes.
package final class OperationFacts: Sendable {
    package let request: DialectFacts
    package let response: ResponseDialect
    /// Members of an answer, for the dry run; never used live.
    package let example: JSONObject?
    /// Where the rules for the answer stand; `nil` where nothing is said of it.
    package let responseSource: ResponseSource?

    /// Exactly what the RFCs say.
    static let standard = OperationFacts(request: DialectFacts(), response: .standard)

    init(
        request: DialectFacts, response: ResponseDialect, example: JSONObject? = nil,
        responseSource: ResponseSource? = nil
    ) {
        self.request = request
        self.response = response
        self.example = example
        self.responseSource = responseSource
    }
}

package struct RefreshFacts: Sendable {
    package enum MissingRefreshToken: String, Sendable, Hashable, CaseIterable {
        case keep, drop
    }

    package enum Rotation: String, Sendable, Hashable, CaseIterable {
        case singleUse = "single_use"
        case reusable, unknown
    }

    /// The token that a refresh presents.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
        case none
    }

    package var operation = OperationFacts.standard
    package var isSupported = true
    package var subject = Subject.refreshToken
    package var onMissingRefreshToken = MissingRefreshToken.keep
    package var rotation = Rotation.unknown
    /// Seconds before its end at which a token counts as expired; `nil` leaves it to the flow.
    package var earlySeconds: Int?
    /// Whether a success without a token extends the one there is.
    package var keepsToken = false
    /// Whether the session can do as much as before once a token for fewer scopes was asked for (RFC 6749 §6).
    package var narrows = true

    package init() {}
}

package struct RevocationFacts: Sendable {
    package enum Token: String, Sendable, Hashable, CaseIterable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
    }

    package var operation = OperationFacts.standard
    /// The only token that the provider takes; `nil` for any.
    package var token: Token?
    /// The statuses of success: every one unless the descriptor names its own, since an empty answer is 204 to some.
    package var successStatus = 200...299

    /// How the answer is read.
    package var response: ResponseDialect {
        var dialect = operation.response
        dialect.successStatus = successStatus
        return dialect
    }

    package init() {}
}

package struct UserInfoFacts: Sendable {
    /// A further request whose answer joins the claims under `name`, such as a list of e-mail addresses.
    package struct Additional: Sendable {
        package let name: String
        package let condition: CodeRange?
        package let operation: OperationFacts
        package let placement: TokenPlacement?
    }

    package var operation = OperationFacts.standard
    package var isSupported = true
    /// Whether the answer is asked for; otherwise the profile is made of what the tokens say.
    package var condition: CodeRange?
    /// `nil` where the URL or the parameters bear the token.
    package var placement: TokenPlacement? = .authorization(scheme: "Bearer")
    package var also: [Additional] = []

    package init() {}
}
