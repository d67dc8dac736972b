internal import OAuthProtocol

/// The secrets that a trace has met so far, and texts without them.
struct TraceSecrets: Sendable {
    private var index = SecretIndex()
    /// Those that are too short to be looked for.
    private var short: Set<String> = []
    private var found = 0

    /// How many different ones there are.
    var count: Int { found + short.count }

    /// Remembers the value, so that it is replaced in later texts.
    mutating func remember(_ secret: Secret) {
        let value = secret.reveal()
        guard value.utf8.count >= SecretIndex.shortestWord else {
            short.insert(value)
            return
        }
        // A secret is met some five times in a run.
        if index.insert(secret) { found += 1 }
    }

    /// Remembers a text that holds a secret in a form of its own.
    mutating func remember(form: String, of secret: Secret) { index.add(form: form, as: secret) }

    /// A remote or composed text without any secret seen so far, without control characters, of bounded length.
    func clean(_ text: String) -> String {
        if staysAsItIs(text, Self.limit) { return text }
        // Replaced before it is cut: half a secret would not be recognised.
        let whole = RemoteText.sanitize(text, limit: 65_536)
        let redacted = SecretShapes.redacted(index.replaced(in: whole))
        return redacted.utf8.count <= Self.limit ? redacted : RemoteText.sanitize(redacted, limit: Self.limit)
    }

    /// The same of so many Unicode scalars at most.
    func clean(_ text: String, limit: Int) -> String {
        if staysAsItIs(text, min(limit, Self.limit)) { return text }
        return RemoteText.sanitize(clean(text), limit: limit)
    }

    /// Whether the text is short and holds nothing that is replaced or removed, as nearly every text does.
    private func staysAsItIs(_ text: String, _ limit: Int) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count <= limit else { return false }
            let traits = TextTraits(of: bytes)
            return !traits.contains(.unclean) && !index.mayHold(bytes, traits)
                && (!traits.contains(.shape) || SecretShapes.findings(in: bytes).isEmpty)
        }
    }

    /// In Unicode scalars.
    private static let limit = 2_000
}
