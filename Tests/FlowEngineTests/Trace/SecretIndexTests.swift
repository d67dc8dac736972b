import FlowEngine
import JOSE
import OAuthProtocol
import Testing

@Suite("The index of secrets")
struct SecretIndexTests {
    private static let index = SecretIndex([
        Secret("alpha-0123456789", kind: .accessToken),
        Secret("0123456789-omega-longer", kind: .refreshToken),
        Secret("short", kind: .code), Secret("ümläut-secret", kind: .other),
    ])

    static let cases: [(text: String, expected: String)] = [
        ("alpha-0123456789", "‹access_token›"), ("got alpha-0123456789.", "got ‹access_token›."),
        ("alpha-0123456789alpha-0123456789", "‹access_token›‹access_token›"),
        // One runs into the other: nothing of either is left, and the longer one names the place.
        ("<alpha-0123456789-omega-longer>", "<‹refresh_token›>"),
        ("0123456789-omega-longer", "‹refresh_token›"),
        // What is short is a secret where it stands alone.
        ("a short one", "a ‹code› one"), ("id:short", "id:‹code›"), ("a shorter one", "a shorter one"),
        ("short-alpha-0123456789", "‹code›-‹access_token›"), ("éshort", "éshort"), ("shor", "shor"),
        ("é alpha-0123456789 …", "é ‹access_token› …"), ("an ümläut-secret here", "an ‹secret› here"),
        // Cut within a secret, and before so much of it that anybody could know it.
        ("got alpha-01234…", "got ‹access_token›…"), ("got alpha-0…", "got alpha-0…"),
        ("a member \"alpha-01234…\", which", "a member \"‹access_token›…\", which"),
        ("a \"alpha-0…\", b", "a \"alpha-0…\", b"), ("alpha-012x…", "alpha-012x…"),
        ("got alpha-01234", "got alpha-01234"), ("alpha-0123456788", "alpha-0123456788"), ("", ""),
    ]

    @Test("what is known is replaced wherever it stands", arguments: cases)
    func replaced(text: String, expected: String) {
        #expect(Self.index.replaced(in: text) == expected)
    }

    @Test("of many secrets each is found")
    func many() {
        let secrets = (0..<500).map { Secret("secret number \($0), long enough", kind: .other) }
        let index = SecretIndex(secrets)
        for secret in secrets {
            #expect(index.replaced(in: "(\(secret.reveal()))") == "(\(secret.description))")
        }
    }

    @Test("a secret of any letters is found in every form, behind one, two or three bytes")
    func forms() {
        var dice = Dice(7)
        for _ in 0..<300 {
            let letters = (0..<dice.roll(8...40)).map { _ in UnicodeScalar(UInt8(dice.roll(33...126))) }
            let secret = String(String.UnicodeScalarView(letters))
            let index = SecretIndex([Secret(secret, kind: .code)])
            let hexadecimal = Hexadecimal.encode(secret.utf8)
            var texts = [secret, hexadecimal, hexadecimal.uppercased()]
            for start in ["", "x", "xy", "xyz"] {
                texts.append(Base64.encode("\(start)\(secret):".utf8))
                texts.append(Base64URL.encode("\(start)\(secret):".utf8))
                // As an address writes it.
                texts.append(texts[texts.count - 2].replacing("+", with: "%2B"))
            }
            for text in texts { #expect(index.replaced(in: text).contains("‹code›"), "\(secret) in \(text)") }
        }
    }

    @Test("the shortest secret is found at every place, joined and apart, alone and among many")
    func places() {
        for others in [0, 300] {
            let index = SecretIndex(
                [Secret("q7w-x9z1", kind: .code)]
                    + (0..<others).map { Secret("another secret, number \($0)", kind: .other) })
            for before in 0..<9 {
                for after in 0..<9 {
                    let start = String(repeating: "=", count: before)
                    let end = String(repeating: "=", count: after)
                    #expect(index.replaced(in: start + "q7w-x9z1" + end) == start + "‹code›" + end)
                    #expect(index.replaced(in: start + "q7 w-x\n9z+1" + end) == start + "‹code›" + end)
                    #expect(index.replaced(in: start + "q7w%2dx9z&#49;" + end) == start + "‹code›" + end)
                    #expect(index.replaced(in: start + "q7w-x9z" + end) == start + "q7w-x9z" + end)
                }
            }
        }
    }

    @Test("a text that repeats itself as a secret does is read once")
    func repetition() {
        let index = SecretIndex([
            Secret(String(repeating: "a", count: 20_000) + "b", kind: .refreshToken),
            Secret(String(repeating: "ab", count: 10_000), kind: .accessToken),
        ])
        let letters = String(repeating: "a", count: 300_000)
        #expect(index.replaced(in: "\(letters)b") == "‹refresh_token›")
        #expect(index.replaced(in: "% \(letters)…") == "% ‹refresh_token›…")
        let pairs = String(repeating: "ab", count: 150_000)
        #expect(index.replaced(in: "<\(pairs)>&amp;") == "<‹access_token›>&amp;")
    }

    @Test("the first part of a long secret is found where another text follows")
    func part() {
        let secret = String((0..<600).map { Character(UnicodeScalar(UInt8(33 + $0 * $0 % 90))) })
        let index = SecretIndex([Secret(secret, kind: .idToken)])
        #expect(index.replaced(in: "(\(secret))") == "(‹id_token›)")
        #expect(index.replaced(in: "(\(secret.prefix(400)) and more") == "(‹id_token› and more")
    }
}
