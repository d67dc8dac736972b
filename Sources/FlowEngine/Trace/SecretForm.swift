internal import JOSE
internal import OAuthProtocol
internal import Synchronization

/// A way in which a secret may turn up in a text: as it is, and encoded alone or inside of something longer.
enum SecretForm: Sendable {
    case written
    /// As a reader takes it, for texts in which escapes are undone and lines are joined: see `PlainBytes`.
    case plain
    case hexadecimal, upperCaseHexadecimal
    // Three bytes make four characters, so what stands in front of a secret shifts its characters.
    case base64(shift: Int)
    case base64URL(shift: Int)
    case plainBase64(shift: Int)

    static let all: [SecretForm] =
        [.written, .plain, .hexadecimal, .upperCaseHexadecimal]
        + (0..<3).flatMap { [.base64(shift: $0), .base64URL(shift: $0), .plainBase64(shift: $0)] }

    /// Calls `body` with the first eight bytes of each form that has so many, and with a bit for each place in `all` of a form
    /// that begins so: most secrets begin alike in all alphabets of base64.
    static func beginnings(
        of value: UnsafeBufferPointer<UInt8>, _ body: (_ head: UInt64, _ forms: UInt16) -> Void
    ) {
        guard let written = head(value) else { return }
        body(written, 1 << 0)
        if !TextTraits(of: value).isDisjoint(with: [.space, .escape]),
            let plain = SecretForm.plain.head(of: value)
        {
            body(plain, 1 << 1)
        }
        let (lower, upper) = (
            digits(value, letters: UInt8(ascii: "a")), digits(value, letters: UInt8(ascii: "A"))
        )
        body(lower, lower == upper ? 0b11 << 2 : 1 << 2)
        if upper != lower { body(upper, 1 << 3) }
        for shift in 0..<3 {
            let first = 4 + 3 * shift
            if let head = alphanumeric(value, shift) {
                body(head, 0b111 << first)
            } else {
                for place in first..<(first + 3) {
                    if let head = all[place].head(of: value) { body(head, 1 << place) }
                }
            }
        }
    }

    func bytes(of value: [UInt8]) -> [UInt8] {
        switch self {
        case .written: value
        case .plain: PlainBytes.of(value)
        case .hexadecimal: Array(Hexadecimal.encode(value).utf8)
        case .upperCaseHexadecimal: Array(Hexadecimal.encode(value).uppercased().utf8)
        case .base64(let shift):
            Self.wholeSextets(of: Base64.encode(Self.shifted(value, shift)), value, shift)
        case .base64URL(let shift):
            Self.wholeSextets(of: Base64URL.encode(Self.shifted(value, shift)), value, shift)
        case .plainBase64(let shift): PlainBytes.of(SecretForm.base64(shift: shift).bytes(of: value))
        }
    }

    /// The first eight bytes of the form; `nil` when it has fewer.
    func head(of value: UnsafeBufferPointer<UInt8>) -> UInt64? {
        guard value.count >= 8 else { return nil }
        switch self {
        case .written: return Self.head(value)
        // The start of a text with escapes may read otherwise than the text does.
        case .plain: return bytes(of: Array(value)).withUnsafeBufferPointer(Self.head)
        case .hexadecimal: return Self.digits(value, letters: UInt8(ascii: "a"))
        case .upperCaseHexadecimal: return Self.digits(value, letters: UInt8(ascii: "A"))
        case .base64(let shift): return Self.sextets(value, shift, Base64.symbols)
        case .base64URL(let shift): return Self.sextets(value, shift, Base64URL.symbols)
        case .plainBase64(let shift):
            let head = Self.sextets(value, shift, Base64.symbols)
            // A plus sign reads otherwise than it is written.
            let isPlain = (0..<8).allSatisfy { head >> (8 * $0) & 0xFF != UInt64(UInt8(ascii: "+")) }
            return isPlain ? head : bytes(of: Array(value)).withUnsafeBufferPointer(Self.head)
        }
    }

    private static func head(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64? {
        bytes.count < 8 ? nil : bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func digits(_ value: UnsafeBufferPointer<UInt8>, letters: UInt8) -> UInt64 {
        var head: UInt64 = 0
        for byte in value[..<4] {
            for digit in [byte >> 4, byte & 15] {
                head = head << 8 | UInt64(digit < 10 ? UInt8(ascii: "0") + digit : letters + digit - 10)
            }
        }
        return head
    }

    private static func sextets(
        _ value: UnsafeBufferPointer<UInt8>, _ shift: Int, _ symbols: [UInt8]
    ) -> UInt64 {
        let bits = bits(value, shift)
        return (1...8).reduce(0) { head, place in
            head << 8 | UInt64(symbols[Int(bits >> UInt64(48 - 6 * place) & 63)])
        }
    }

    /// The same where all of them are letters and digits, which every alphabet has alike; `nil` otherwise.
    private static func alphanumeric(_ value: UnsafeBufferPointer<UInt8>, _ shift: Int) -> UInt64? {
        let symbols: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let bits = bits(value, shift)
        var head: UInt64 = 0
        for place in 1...8 {
            let sextet = Int(bits >> UInt64(48 - 6 * place) & 63)
            guard sextet < 62 else { return nil }
            head = head << 8 | UInt64(symbols.utf8Start[sextet])
        }
        return head
    }

    /// Those of the first eight characters that belong to the value alone.
    private static func bits(_ value: UnsafeBufferPointer<UInt8>, _ shift: Int) -> UInt64 {
        let skipped = shift == 0 ? 0 : 6 * (shift + 1) - 8 * shift
        return value[..<7].reduce(0) { $0 << 8 | UInt64($1) } >> UInt64(8 - skipped)
    }

    private static func shifted(_ value: [UInt8], _ shift: Int) -> [UInt8] {
        shift == 0 ? value : [UInt8](repeating: 0, count: shift) + value
    }

    /// The characters that hold bits of the value alone.
    private static func wholeSextets(of text: String, _ value: [UInt8], _ shift: Int) -> [UInt8] {
        let first = shift == 0 ? 0 : shift + 1
        let last = (shift + value.count) * 8 / 6
        return Array(text.utf8.prefix(last).dropFirst(first))
    }
}

/// A secret that is looked for.
///
/// Each form is made when a text holds its first bytes, which nearly none does: all forms of a token together are more than
/// ten times as long as the token.
final class KnownSecret: Sendable {
    let text: String
    /// Whether it is looked for in all forms.
    let isWhole: Bool
    private let name: Name
    private let forms = Mutex<[Int: [UInt8]]>([:])

    enum Name: Sendable {
        case kind(Secret.Kind)
        case placeholder(String)
    }

    init(_ text: String, _ name: Name, isWhole: Bool) {
        self.text = text
        self.name = name
        self.isWhole = isWhole
    }

    /// What stands for it.
    var placeholder: String {
        switch name {
        case .kind(let kind): Secret("", kind: kind).description
        case .placeholder(let text): text
        }
    }

    /// - Parameter form: Its place in `SecretForm.all`.
    func bytes(_ form: Int) -> [UInt8] {
        forms.withLock { forms in
            if let bytes = forms[form] { return bytes }
            let bytes = SecretForm.all[form].bytes(of: Array(text.utf8))
            forms[form] = bytes
            return bytes
        }
    }
}
