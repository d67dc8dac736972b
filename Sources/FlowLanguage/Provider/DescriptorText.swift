package import JOSE
package import YAMLText

/// The slots that a descriptor's expressions may read, in this order; the descriptor's own variables follow.
package enum DescriptorSlot: Int, Sendable, CaseIterable {
    case clientID, redirectURI, clientSecret
    /// Parameters of the request that is being made, or of the one that began the transaction.
    case scope, state, code
    case accessToken, refreshToken, idToken
    /// The token response without its secrets, captured parameters of the callback, claims of the ID token, userinfo.
    case token, callback, claims, userinfo
    /// The answer that began a sign-in on another device, without the code that is secret.
    case device
    /// Seconds and milliseconds since 1970, and 32 hexadecimal digits that come once.
    case now, nowMilliseconds, random
    /// The encoded body of the request, for `query` and `headers`.
    case body
    /// The other parameters of the request, for `params`, `query` and `headers`.
    case parameters
    /// The parameters of a callback that its signature covers.
    case message
    /// Of an answer, for `classify`.
    case status, answer

    package static let variableBase = DescriptorSlot.allCases.count

    /// Whether nothing that is made of the value may be shown.
    var isSecret: Bool {
        switch self {
        case .clientSecret, .state, .code, .accessToken, .refreshToken, .idToken, .body, .parameters: true
        case .clientID, .redirectURI, .scope, .token, .callback, .claims, .userinfo, .device, .now,
            .nowMilliseconds, .random, .message, .status, .answer:
            false
        }
    }
}

/// A text of a descriptor: fixed, or a template.
///
/// A class so that the many texts that a descriptor does not have take no more than a word each. It never changes.
package final class DescriptorText: Sendable {
    package enum Content: Sendable, Hashable {
        case literal(String)
        case template(CodeRange)
    }

    /// What a member of a JSON body is that is more than a text.
    package enum Typed: Sendable, Hashable {
        case value(JSONValue)
        /// An expression, which keeps its type.
        case code(CodeRange)
        /// A list or mapping, which has no other form.
        case structure(CodeRange)
    }

    package let content: Content
    /// What it is in a JSON body; `nil` for a text there too.
    package let typed: Typed?
    /// Whether a secret flows into it.
    package let isSecret: Bool
    /// One bit for each slot that it reads, its variables among them; the last bit for all from there on.
    private let slots: UInt64
    package let span: SourceSpan
    private let layer: DescriptorLayer

    /// `nil` for a template.
    package var literal: String? {
        guard case .literal(let text) = content else { return nil }
        return text
    }

    /// As `acme.yaml:12`, for the trace.
    package var source: String { layer.name(of: span) }

    package func reads(_ slot: DescriptorSlot) -> Bool { slots & Self.bit(slot.rawValue) != 0 }

    /// - Parameter variable: Its place among those of the descriptor.
    func mayRead(variable: Int) -> Bool { slots & Self.bit(DescriptorSlot.variableBase + variable) != 0 }

    private static func bit(_ slot: Int) -> UInt64 { 1 << UInt64(min(slot, 63)) }

    /// Whether it can be written only once the body of the request is, or its other parameters are known.
    package var readsBody: Bool { reads(.body) || reads(.parameters) }

    /// Whether it reads anything that a browser or a server has sent, or that is made anew for each request.
    package var readsAnswers: Bool {
        let slots: [DescriptorSlot] = [
            .scope, .state, .code, .accessToken, .refreshToken, .idToken, .token, .callback, .claims,
            .userinfo, .device, .body, .parameters, .message, .status, .answer,
        ]
        return slots.contains(where: reads)
    }

    /// Whether it reads answers to earlier requests and none of them is that of the UserInfo endpoint.
    var readsOtherAnswers: Bool {
        !reads(.userinfo) && [.token, .callback, .claims].contains(where: reads)
    }

    /// - Parameter references: The slots that it reads, its variables among them.
    init(
        content: Content, isSecret: Bool = false, references: [(slot: Int, span: SourceSpan)] = [],
        span: SourceSpan, in layer: DescriptorLayer
    ) {
        self.content = content
        typed = nil
        self.isSecret = isSecret
        slots = references.reduce(0) { $0 | Self.bit($1.slot) }
        self.span = span
        self.layer = layer
    }

    private init(_ text: DescriptorText, typed: Typed) {
        content = text.content
        self.typed = typed
        isSecret = text.isSecret
        slots = text.slots
        span = text.span
        layer = text.layer
    }

    /// The same with what it is in a JSON body.
    func typed(_ typed: Typed) -> DescriptorText { DescriptorText(self, typed: typed) }
}

package struct VariableSpec: Sendable, Hashable {
    package let name: String
    package var description: String?
    package var standard: String?
    /// A value for dry runs, never used live.
    package var example: String?
    package var isRequired = false
    /// A value must match the whole pattern (a small safe subset: see the reader).
    package var pattern: Pattern?
    package var allowed: [String]?
    /// Put before and after a value that does not begin or end so.
    package var prefix: String?
    package var suffix: String?
    /// Whether the value comes from a secret source and may never be shown.
    package var isSecret = false

    init(name: String) {
        self.name = name
    }
}
