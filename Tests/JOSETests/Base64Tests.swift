import JOSE
import Testing

@Suite("base64")
struct Base64Tests {
    @Test(
        "the vectors of RFC 4648 §10 are encoded and decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
        let unpadded = String(encoded.prefix { $0 != "=" })
        #expect(Base64URL.encode(plain.utf8) == unpadded)
        #expect(Base64URL.decode(unpadded) == Array(plain.utf8))
    }

    @Test("every byte survives both alphabets at every length")
    func roundTrip() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        for count in 0...all.count {
            let bytes = Array(all.suffix(count))
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "base64url refuses padding, the other alphabet, white space and a lone symbol",
        arguments: [
            "Zg==", "Zg=", "+_8A", "//8A", "Zm9v\n", " Zm9v", "Zm 9v", "A", "Zm9vY", "Zm9é", "Zm9v\0",
        ])
    func strictURL(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "base64url refuses unused trailing bits that are set [rule 101]",
        arguments: ["Zh", "Zm9", "Zm9vYh", "AB", "AAB"])
    func canonical(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "base64 refuses missing, misplaced and excess padding and the other alphabet",
        arguments: ["Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zg==Zg==", "-_8A", "Zh==", "Zm9="])
    func strictStandard(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("the challenge of RFC 7636 Appendix B is the digest of its verifier")
    func codeChallenge() {
        let digest = Digest.sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".utf8)
        #expect(Base64URL.encode(digest) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
}
