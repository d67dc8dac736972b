internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// A sign-in that waits for its visitor: all that another instance needs to go on with it, sealed.
public struct SignInTicket: Sendable, Hashable {
    /// Some kilobytes of base64url, too long for a cookie. Nobody reads it without the key (AES-256-GCM); whoever has it and
    /// an answer can end the sign-in, so it is kept like a session.
    public let text: String
    /// Milliseconds since 1970; later no answer is taken.
    public let expiresAt: Int64

    /// One that nobody sealed, for what a program does with tickets in its own tests; as an answer's ticket it is refused
    /// as `ticket_invalid`.
    public init(text: String, expiresAt: Int64) {
        self.text = text
        self.expiresAt = expiresAt
    }
}

extension SignInTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "‹ticket›" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Makes tickets of records, and records of tickets.
struct TicketSeal: Sendable {
    private let keys: [SealingKey]

    private static let leastLength = 32
    /// Names what is sealed, and its version.
    private static let context = Array("flowrun ticket/1".utf8)

    /// - Returns: `nil` unless there is a key, and each is long enough.
    init?(_ keys: [Secret]) {
        guard !keys.isEmpty, keys.allSatisfy({ $0.reveal().utf8.count >= Self.leastLength }) else {
            return nil
        }
        self.keys = keys.compactMap { SealingKey(Digest.sha256($0.reveal().utf8)) }
    }

    /// - Returns: `nil` when the library fails.
    func seal(_ entries: [JournalEntry]) -> String? {
        let records = JSONValue.array(entries.map(\.json)).serializedBytes
        return (try? keys.first?.seal(records, context: Self.context)).map { Base64URL.encode($0) }
    }

    /// - Returns: `nil` for what none of the keys has sealed.
    func open(_ text: String) -> [JournalEntry]? {
        guard let sealed = Base64URL.decode(text) else { return nil }
        for key in keys {
            // Sealed with another key, or by nobody.
            guard let bytes = try? key.open(sealed, context: Self.context) else { continue }
            let records = (try? JSON.parse(bytes))?.arrayValue
            let entries = records?.compactMap(JournalEntry.init)
            return entries?.count == records?.count ? entries : nil
        }
        return nil
    }
}
