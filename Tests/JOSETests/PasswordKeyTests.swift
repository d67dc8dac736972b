import Testing

@testable import JOSE

@Suite("Keys of passphrases")
struct PasswordKeyTests {
    /// RFC 7914 §12.
    static let vectors: [(String, String, PasswordKey.Cost, String)] = [
        (
            "password", "NaCl", PasswordKey.Cost(work: 1024, blockSize: 8, parallelism: 16),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        (
            "pleaseletmein", "SodiumChloride",
            PasswordKey.Cost(work: 16_384, blockSize: 8, parallelism: 1),
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ]

    @Test("are those of the RFC", arguments: vectors)
    func keys(_ passphrase: String, _ salt: String, _ cost: PasswordKey.Cost, _ key: String) throws {
        let made = try PasswordKey.derive(
            from: Array(passphrase.utf8), salt: Array(salt.utf8), cost: cost, length: 64)
        #expect(Hexadecimal.encode(made) == key)
    }

    @Test("a cost out of bounds is refused before it is paid")
    func bounds() {
        for cost in [
            PasswordKey.Cost(work: 1 << 40, blockSize: 8, parallelism: 1),
            PasswordKey.Cost(work: 1 << 16, blockSize: 1 << 40, parallelism: 1),
            PasswordKey.Cost(work: 3, blockSize: 8, parallelism: 1),
            PasswordKey.Cost(work: 1 << 22, blockSize: 64, parallelism: 1),
        ] {
            #expect(throws: OpenSSLError.self) {
                try PasswordKey.derive(from: [1], salt: [1], cost: cost, length: 32)
            }
        }
    }
}
