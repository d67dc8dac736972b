internal import JOSE

/// Who asks for a nonce: both kinds of server do it in their own way.
package enum DPoPServer: Sendable, Hashable, CaseIterable {
    /// Answers with an OAuth error (RFC 9449 §8).
    case authorization
    /// Answers with a challenge (RFC 9449 §9).
    case resource
}

/// The newest nonce of each server, by origin; an answer of any status may bring one (RFC 9449 §8.2).
package struct DPoPNonces: Sendable, Hashable {
    private var newest: [String: String] = [:]

    package init() {}

    /// The nonce for a proof that goes to this URL.
    package subscript(url: String) -> String? { newest[Self.origin(of: url)] }

    /// Takes over the nonce that an answer brings, if it brings one.
    package mutating func note(_ response: HTTPResponse, from url: String) {
        guard let nonce = Self.offered(by: response) else { return }
        newest[Self.origin(of: url)] = nonce
    }

    /// The nonce to send the same request with again, once; `nil` when the answer does not ask for that.
    ///
    /// A second such answer to the same request is an error like any other: two retries in a row are a loop.
    /// Only a refusal is repeated, so a code was not looked at yet.
    package static func demanded(by response: HTTPResponse, _ server: DPoPServer) -> String? {
        guard let nonce = offered(by: response) else { return nil }
        switch server {
        case .authorization:
            guard response.status == 400 || response.status == 401 else { return nil }
            return ResponseDialect.standard.error(inFailure: response)?.code == demand ? nonce : nil
        case .resource:
            guard response.status == 401 else { return nil }
            let isDemanded = response.challenges.contains {
                $0.scheme.equalsIgnoringASCIICase(DPoPProof.scheme) && $0.parameter("error") == demand
            }
            return isDemanded ? nonce : nil
        }
    }

    /// `error` of an answer that asks for a nonce.
    package static let demand = "use_dpop_nonce"
    package static let field = "DPoP-Nonce"
    /// Far more than any server sends; a nonce goes into every proof.
    private static let longest = 1024

    /// The value of the one field, if it has the characters of RFC 9449 §8.1.
    static func offered(by response: HTTPResponse) -> String? {
        let values = response.fields(field)
        guard values.count == 1, (1...longest).contains(values[0].utf8.count),
            values[0].utf8.allSatisfy({
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            })
        else { return nil }
        return values[0]
    }

    /// A text that is no URL has itself for its origin: it meets no other.
    private static func origin(of url: String) -> String {
        (try? EndpointURL(url, allowLoopbackHTTP: true))?.origin ?? url
    }
}

extension HTTPResponse {
    /// The challenges of all `WWW-Authenticate` fields, in order.
    package var challenges: [AuthenticationChallenge] {
        fields("WWW-Authenticate").flatMap { WWWAuthenticate.parse($0) }
    }
}
