import JOSE
import Testing

@Suite("test vectors in Project Wycheproof's form")
struct VectorTests {
    /// Where our verdict is another than the file's, or the file leaves it open: a reason for each.
    private struct Policy: Sendable {
        let reason: String
        let verdict: VectorVerdict
        /// Whether it is about the test.
        let applies: @Sendable (VectorFile.Case, VectorFile.Group, String) -> Bool
    }

    private static let policies: [Policy] = [
        Policy(
            reason: "acceptable: a DigestInfo without NULL; RFC 8017 §A.2.4 asks for it", verdict: .refused,
            applies: { test, _, result in result == "acceptable" && test.flags == ["MissingNull"] }),
        Policy(
            reason: "acceptable: a key of eight bytes wrapped; RFC 3394 §2 begins at sixteen",
            verdict: .refused,
            applies: { _, group, result in result == "acceptable" && group.isOf("KeywrapTest") }),
        Policy(
            reason: "a secret of zeros is no secret (RFC 7748 §6.1)", verdict: .refused,
            applies: { test, _, _ in test.flags.contains("ZeroSharedSecret") }),
        Policy(
            reason: "an exponent below 65537 is refused (NIST FIPS 186-5 §A.1.1)", verdict: .refused,
            applies: { test, group, _ in
                group.isOf("RsassaPkcs1Verify") && test.flags.contains("SmallPublicKey")
            }),
        Policy(
            reason: "acceptable: X25519 with a key on the twist or not reduced; RFC 7748 §5 takes any",
            verdict: .accepted,
            applies: { _, group, result in result == "acceptable" && group.isOf("XdhJwkComp") }),
        Policy(
            reason: "no JWT has an empty payload (RFC 7519 §7.2)", verdict: .refused,
            applies: { test, group, result in
                result == "valid" && group.isOf("JsonWebSignature") && test.text("jws").contains("..")
            }),
        Policy(
            reason: "a character outside base64url is refused, not skipped (RFC 7515 §2)", verdict: .refused,
            applies: { test, group, result in
                result == "valid" && group.isOf("JsonWebSignature") && test.text("jws").contains("?")
            }),
        Policy(
            reason: "the token is strict base64url and its MAC right: what the comment names is not in it",
            verdict: .accepted,
            applies: { test, _, _ in
                ["invalidBase64Padding", "invalidBase64PaddingInPayload"].contains(test.text("comment"))
            }),
        Policy(
            reason: "the key says another algorithm than the token, or one that does not exist (ES521)",
            verdict: .refused,
            applies: { test, group, result in
                let alg = group.members["public"]?["alg"]?.stringValue
                let named = (try? JWS.split(test.text("jws")))?.header.alg
                return result == "valid" && group.isOf("JsonWebSignature") && alg != nil && named != alg
            }),
        Policy(
            reason: "a symmetric key of a set is never used (RFC 8725 §3.1)", verdict: .refused,
            applies: { _, group, result in
                let keys = group.members["private"]?["keys"]?.arrayValue ?? []
                return result == "valid" && !keys.isEmpty && keys.allSatisfy { $0["kty"] == "oct" }
            }),
        Policy(
            reason: "a key that is weak in spite of its length is its owner's to replace (CVE-2017-15361)",
            verdict: .accepted,
            applies: { test, _, _ in test.text("comment") == "rejectsKeyWithRocaVulnerability" }),
        Policy(
            reason: "an algorithm that is not among ours, or compressed content (RFC 8725 §3.6)",
            verdict: .refused,
            applies: { test, group, result in
                guard result == "valid", group.isOf("JsonWebEncryption") else { return false }
                let alg = group.members["private"]?["alg"]?.stringValue ?? ""
                return KeyManagementAlgorithm(name: alg) == nil
                    || ContentEncryption(name: test.text("enc")) == nil
                    || test.flags.contains("CompressedPlaintext")
            }),
    ]

    @Test("every file of vectors is read")
    func files() {
        let names = VectorFile.all.map(\.name)
        #expect(names.count { $0.hasSuffix("_test.json") } == 38)
        #expect(names.contains("rfc-signatures.json") && names.contains("made-ecdsa.json"))
    }

    @Test("every vector gets its verdict, or one that a policy gives a reason for", arguments: VectorFile.all)
    func verdicts(file: VectorFile) {
        var wrong: [String] = []
        var counted = 0
        for group in file.groups {
            for test in group.tests {
                guard let verdict = VectorVerdict.of(test, in: group) else { continue }
                counted += 1
                let result = test.members["result"]?.stringValue ?? ""
                let policy = Self.policies.first { $0.applies(test, group, result) }
                let expected = policy?.verdict ?? (result == "valid" ? .accepted : .refused)
                guard verdict != expected || (policy == nil && result == "acceptable") else { continue }
                let comment = test.members["comment"]?.stringValue ?? ""
                wrong.append("\(test.id) \(comment): \(result), \(verdict.rawValue)")
            }
        }
        #expect(wrong.isEmpty, "\(file.name): \(wrong.joined(separator: "\n"))")
        #expect(counted > 0)
    }
}

extension VectorFile.Group {
    fileprivate func isOf(_ type: String) -> Bool { members["type"]?.stringValue == type }
}

extension VectorFile.Case {
    fileprivate func text(_ name: String) -> String { members[name]?.stringValue ?? "" }
}
