/// What is known about a value without knowing it: who may see it, and who vouches for it (flow/1 §4).
package struct Label: Sendable, Hashable {
    /// Who may see the value; the later, the fewer.
    package enum Secrecy: String, Sendable, Hashable, CaseIterable, Comparable {
        case `public`, pii, sensitive, secret

        package static func < (one: Secrecy, other: Secrecy) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .public: 0
            case .pii: 1
            case .sensitive: 2
            case .secret: 3
            }
        }
    }

    /// Who vouches for the value; the later, the less it is worth.
    package enum Integrity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The engine has checked it, or the author of the flow or descriptor has written it.
        case trusted
        /// The provider says so, without proof.
        case asserted
        /// Anybody may have written it.
        case untrusted

        package static func < (one: Integrity, other: Integrity) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .trusted: 0
            case .asserted: 1
            case .untrusted: 2
            }
        }
    }

    package let secrecy: Secrecy
    package let integrity: Integrity

    package init(_ secrecy: Secrecy, _ integrity: Integrity) {
        self.secrecy = secrecy
        self.integrity = integrity
    }

    package static let plain = Label(.public, .trusted)
    static let secret = Label(.secret, .trusted)
    static let sensitive = Label(.sensitive, .trusted)
    /// Claims that were verified.
    static let verified = Label(.pii, .trusted)
    /// What the provider says of a person.
    static let asserted = Label(.pii, .asserted)
    /// What anybody may have sent.
    static let untrusted = Label(.public, .untrusted)

    /// What holds of a value that was made of two.
    func joined(_ other: Label) -> Label {
        Label(max(secrecy, other.secrecy), max(integrity, other.integrity))
    }

    /// What a type alone says.
    static func standard(of type: FlowType) -> Label {
        if type.holdsSecret { return .secret }
        return type.required == .sensitive ? .sensitive : .plain
    }
}
