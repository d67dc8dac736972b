/// Why a document is no JWK set at all.
package enum JWKSetError: Error, Hashable {
    case notAnObject
    /// `keys` is absent or no array.
    case missingKeys
    case tooManyKeys(found: Int, limit: Int)
}

/// The usable keys of a JWK set.
///
/// A key we cannot use is skipped, as RFC 7517 §5 asks, and remembered with the reason. Symmetric keys are
/// never usable.
package struct JWKSet: Sendable {
    /// A key that was skipped.
    package struct UnusableKey: Sendable, Hashable {
        /// Its place in `keys`, from 0.
        package let index: Int
        package let kid: String?
        package let reason: KeyError
    }

    /// More keys than any provider publishes; bounds the work one document can cause.
    package static let maximumKeys = 100

    package let keys: [JWK]
    package let unusable: [UnusableKey]

    /// The whole document; `nil` for a set that was made of keys.
    package let document: JSONValue?

    package init(keys: [JWK]) {
        self.keys = keys
        self.unusable = []
        document = nil
    }

    private init(keys: [JWK], unusable: [UnusableKey], document: JSONValue) {
        self.keys = keys
        self.unusable = unusable
        self.document = document
    }

    package static func parse(_ value: JSONValue) throws(JWKSetError) -> JWKSet {
        guard let members = value.objectValue else { throw .notAnObject }
        guard let values = members["keys"]?.arrayValue else { throw .missingKeys }
        guard values.count <= maximumKeys else {
            throw .tooManyKeys(found: values.count, limit: maximumKeys)
        }
        var keys: [JWK] = []
        var unusable: [UnusableKey] = []
        for (index, value) in values.enumerated() {
            do throws(KeyError) {
                keys.append(try JWK(value))
            } catch {
                unusable.append(UnusableKey(index: index, kid: value["kid"]?.stringValue, reason: error))
            }
        }
        return JWKSet(keys: keys, unusable: unusable, document: value)
    }

    /// Why no key of the set may have made a signature, in words.
    ///
    /// - Parameter kid: A text of the signer's, of which the beginning is shown as it is.
    package func absence(ofKid kid: String?, _ algorithm: SignatureAlgorithm) -> String {
        let name = (kid.map { "kid \($0.prefix(60))" } ?? "no kid") + " for \(algorithm.rawValue)"
        if let kid, let other = keys.first(where: { $0.kid?.hasSameBytes(as: kid) == true }) {
            let meaning = [
                "kty \(other.type.name)", other.use.map { "use \($0)" },
                other.algorithmName.map { "alg \($0)" },
                other.keyOperations.map { "key_ops \($0.joined(separator: " "))" },
            ].compactMap(\.self)
            return "\(name), whose key is for something else: \(meaning.joined(separator: ", "))"
        }
        let skipped = unusable.first { kid == nil || $0.kid?.hasSameBytes(as: kid ?? "") == true }
        guard let skipped else { return name }
        return "\(name), and a key that cannot be used: \(skipped.reason.summary)"
    }

    /// The keys that may have made a signature, in their order.
    ///
    /// - Parameter kid: When given, only keys of exactly this `kid`; a key without one does not match.
    package func candidates(kid: String?, algorithm: SignatureAlgorithm) -> [JWK] {
        keys.filter { $0.isCandidate(kid: kid, algorithm: algorithm) }
    }
}
