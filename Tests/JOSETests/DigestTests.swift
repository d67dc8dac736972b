import JOSE
import Testing

@Suite("digests, MACs and sealing")
struct DigestTests {
    @Test("MD5 (RFC 1321 A.5)")
    func md5() throws {
        #expect(hex(try #require(Digest.md5("abc".utf8))) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(hex(try #require(Digest.md5([UInt8]()))) == "d41d8cd98f00b204e9800998ecf8427e")
    }

    @Test("the digests of \"abc\" are those of FIPS 180-4, also of a slice")
    func digests() {
        #expect(
            hex(Digest.sha256("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(Digest.hash("abc".utf8, .sha384))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(
            hex(Digest.sha512(Array("xabc".utf8).dropFirst()))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
        #expect(
            hex(Digest.sha256([UInt8]()))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("the MACs are those of RFC 4231 §4.3")
    func macs() {
        let message = "what do ya want for nothing?".utf8
        #expect(
            hex(HMAC.sha256(key: "Jefe".utf8, message: message))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(HMAC.authenticate(message, key: "Jefe".utf8, .sha384))
                == "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        )
        #expect(
            hex(HMAC.authenticate(message, key: "Jefe".utf8, .sha512))
                == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737")
    }

    @Test("an empty key and an empty message have a MAC")
    func emptyMAC() {
        #expect(
            hex(HMAC.sha256(key: [UInt8](), message: [UInt8]()))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("constant-time comparison is equality of bytes [rule 55]")
    func comparison() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equal([UInt8](), []))
        #expect(ConstantTime.equal("état", "état"))
        #expect(!ConstantTime.equal("\u{E9}", "e\u{301}"))
        #expect(!ConstantTime.equal("", "a"))
    }

    @Test("random bytes have the asked length and are not all alike")
    func random() throws {
        #expect(try SecureRandom.bytes(0) == [])
        let bytes = try SecureRandom.bytes(64)
        #expect(bytes.count == 64)
        #expect(try SecureRandom.bytes(64) != bytes)
    }
}

@Suite("AES-256-GCM")
struct AEADTests {
    private let key = bytes(hex: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    private let nonce = bytes(hex: "cafebabefacedbaddecaf888")
    private let authenticated = bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private let plaintext = bytes(
        hex: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
    private let sealed = bytes(
        hex: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b")

    @Test("test case 16 of the GCM specification is sealed and opened")
    func vector() throws {
        #expect(try AEAD.seal(plaintext, key: key, nonce: nonce, authenticating: authenticated) == sealed)
        #expect(try AEAD.open(sealed, key: key, nonce: nonce, authenticating: authenticated) == plaintext)
    }

    @Test("nothing is sealed and opened, with nothing authenticated")
    func empty() throws {
        let sealed = try AEAD.seal([], key: key, nonce: nonce, authenticating: [])
        #expect(sealed.count == AEAD.tagLength)
        #expect(try AEAD.open(sealed, key: key, nonce: nonce, authenticating: []) == [])
    }

    @Test("any changed byte, key, nonce or context, and any truncation is tampering")
    func tampering() {
        for index in sealed.indices {
            var copy = sealed
            copy[index] ^= 1
            #expect(failure(copy) == .tampered)
            #expect(failure(Array(sealed[..<index])) == .tampered)
        }
        #expect(failure(sealed, key: Array(key.reversed())) == .tampered)
        #expect(failure(sealed, nonce: Array(nonce.reversed())) == .tampered)
        #expect(failure(sealed, authenticated: []) == .tampered)
    }

    @Test("a key or nonce of another length is refused by name")
    func lengths() {
        #expect(failure(sealed, key: Array(key.prefix(16))) == .keyLength(found: 16))
        #expect(failure(sealed, nonce: nonce + [0]) == .nonceLength(found: 13))
        for (key, nonce) in [([], nonce), (key, nonce + [0])] {
            let sealing = error { () throws(OpenSSLError) in
                try AEAD.seal([], key: key, nonce: nonce, authenticating: [])
            }
            #expect(sealing?.reasons == ["the key or the nonce has a wrong length"])
        }
    }

    private func failure(
        _ sealed: [UInt8], key: [UInt8]? = nil, nonce: [UInt8]? = nil, authenticated: [UInt8]? = nil
    ) -> AEADError? {
        error { () throws(AEADError) in
            try AEAD.open(
                sealed, key: key ?? self.key, nonce: nonce ?? self.nonce,
                authenticating: authenticated ?? self.authenticated)
        }
    }
}
