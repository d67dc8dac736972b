/// Why a text is not a JSON value we accept, and at which byte.
package struct JSONError: Error, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A byte that cannot stand here.
        case syntax
        /// The text ends inside a value.
        case unexpectedEnd
        /// More than white space follows the value.
        case trailingData
        /// An object names the same member twice.
        case duplicateMember(String)
        case tooDeep(limit: Int)
        case tooLarge(limit: Int)
        case notUTF8
        /// The text begins with a byte order mark (RFC 8259 §8.1).
        case byteOrderMark
        /// An unescaped control character inside a string.
        case controlCharacter
        /// A `\u` escape that is half of a surrogate pair.
        case loneSurrogate
        /// A number whose magnitude no double can hold.
        case numberOutOfRange
    }

    package let kind: Kind
    /// The number of bytes before the place.
    package let offset: Int

    package init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// How much JSON is read before the parser gives up.
package struct JSONLimits: Sendable, Hashable {
    /// How many arrays and objects may be open at once.
    package var depth: Int
    /// How many bytes the text may have.
    package var bytes: Int

    /// 32 levels, far above any OAuth document; 1 MiB, above the largest published key sets and metadata.
    package static let `default` = JSONLimits(depth: 32, bytes: 1 << 20)

    package init(depth: Int = 32, bytes: Int) {
        self.depth = depth
        self.bytes = bytes
    }
}
