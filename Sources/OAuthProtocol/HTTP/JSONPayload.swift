package import JOSE

/// A JSON value to be sent, in which secrets stay secrets until it is encoded.
package indirect enum JSONPayload: Sendable {
    case value(JSONValue)
    case secret(Secret)
    /// A secret that is no text: a number that was made of one.
    case concealed(JSONValue)
    case array([JSONPayload])
    case object([(name: String, value: JSONPayload)])
}

extension JSONPayload {
    /// The text for the socket.
    var serialized: String { json({ .string($0.reveal()) }, concealed: { $0 }).serialize() }

    /// The value with the placeholder of each secret, for a trace.
    package var redacted: JSONValue {
        json({ .string($0.description) }, concealed: { _ in .string(Secret("", kind: .other).description) })
    }

    /// The secrets in it, in order.
    package var secrets: [Secret] {
        switch self {
        case .value: []
        case .secret(let secret): [secret]
        case .concealed(let value): [Secret(value.serialize(), kind: .other)]
        case .array(let items): items.flatMap(\.secrets)
        case .object(let members): members.flatMap(\.value.secrets)
        }
    }

    private func json(
        _ text: (Secret) -> JSONValue, concealed: (JSONValue) -> JSONValue
    ) -> JSONValue {
        switch self {
        case .value(let value): value
        case .secret(let secret): text(secret)
        case .concealed(let value): concealed(value)
        case .array(let items): .array(items.map { $0.json(text, concealed: concealed) })
        case .object(let members):
            .object(
                JSONObject(members.map { (key: $0.name, value: $0.value.json(text, concealed: concealed)) }))
        }
    }
}

extension JSONPayload: Equatable {
    package static func == (left: JSONPayload, right: JSONPayload) -> Bool {
        switch (left, right) {
        case (.value(let left), .value(let right)): left == right
        case (.secret(let left), .secret(let right)): left == right
        case (.concealed(let left), .concealed(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        case (.value, _), (.secret, _), (.concealed, _), (.array, _), (.object, _): false
        }
    }
}

extension JSONPayload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { redacted.serialize() }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}
