internal import JOSE
internal import OAuthProtocol

/// What stands in the body of an answer where a secret was.
enum SecretPlaceholder {
    static let text = "‹secret›"

    /// Why nothing is sent: it would be taken for the secret.
    static func refusal(_ bearer: String) -> String {
        "\(bearer) holds \(text), which stands for a secret in the body of an answer: take that secret with out, of the "
            + "type secret"
    }
}

extension ParameterValue {
    var holdsPlaceholder: Bool {
        switch self {
        case .text(let text): text.contains(SecretPlaceholder.text)
        case .json(let payload): payload.holdsPlaceholder
        case .secret, .basic, .scheme: false
        }
    }
}

extension JSONPayload {
    var holdsPlaceholder: Bool {
        switch self {
        case .value(let value): value.serialize().contains(SecretPlaceholder.text)
        case .array(let items): items.contains(where: \.holdsPlaceholder)
        case .object(let members): members.contains { $0.value.holdsPlaceholder }
        case .secret, .concealed: false
        }
    }
}
