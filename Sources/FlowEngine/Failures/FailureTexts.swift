internal import FlowLanguage
internal import OAuthProtocol

/// A catalogue of failure texts by code; what it lacks is told in English.
///
/// A key is a code or a class of failures; before that come the finer ones that English has too: `exchange.invalid_grant`
/// for what the provider said to a step of a kind, `invalid_scope` for what it said to any.
public struct FailureTexts: Sendable, Hashable {
    let texts: [String: FailureText]
    /// Parts that many texts share, by the name that stands for them: `again`, `plan`, `trace`, `host`,
    /// `redirect_uri`.
    let phrases: [String: String]

    /// A catalogue of the texts of a program; every code and phrase may be left out.
    public init(_ texts: [String: FailureText], phrases: [String: String] = [:]) {
        self.texts = texts
        self.phrases = phrases
    }

    /// The same for runs whose sessions are in a store of the program: what goes wrong there is told in English of such a
    /// store, where this catalogue does not say it.
    package var ofProgramStore: FailureTexts {
        var texts = texts
        for (key, text) in Self.programStore where [nil, Self.english.texts[key]].contains(texts[key]) {
            texts[key] = text
        }
        return FailureTexts(texts, phrases: phrases)
    }

    /// The same texts with other phrases.
    package func with(phrases: [String: String]) -> FailureTexts {
        FailureTexts(texts, phrases: self.phrases.merging(phrases) { $1 })
    }

    /// The text for the first of the keys that this catalogue has, else the first that English has.
    package func text(for failure: FailureSubject) -> FailureText {
        let keys = failure.keys
        let english = keys.lazy.compactMap { Self.english.texts[$0] }.first ?? Self.other
        let found = keys.lazy.compactMap { texts[$0] }.first ?? english
        return found.map(isRetryable: english.isRetryable) { fill($0, failure.arguments) }
    }

    /// For which kinds of steps English has a text of its own about a code or an error, in the order of the kinds; the
    /// empty name stands for any kind.
    package static func kinds(with code: String) -> [String] {
        let kinds = StepKind.allCases.map(\.rawValue).filter { english.texts["\($0).\(code)"] != nil }
        return (english.texts[code] == nil ? [] : [""]) + kinds
    }

    private static let other = FailureText(
        "the step did not succeed", why: [],
        fix: ["{trace}   shows every request, answer and check"])

    /// Phrases first: they bear arguments themselves.
    private func fill(_ text: String, _ arguments: [String: String]) -> String {
        guard text.contains("{") else { return text }
        let phrases = Self.english.phrases.merging(phrases) { $1 }
        var text = text
        for (name, value) in arguments { text = text.replacing("{\(name)}", with: value) }
        for (name, phrase) in phrases where text.contains("{\(name)}") {
            var phrase = phrase
            for (name, value) in arguments { phrase = phrase.replacing("{\(name)}", with: value) }
            text = text.replacing("{\(name)}", with: phrase)
        }
        return text
    }
}

/// What a text is looked up for.
package struct FailureSubject: Sendable, Hashable {
    /// The kind of the step that failed; empty where none did.
    package let kind: String
    /// The outcome's name, or the engine's own code.
    package let code: String
    /// What the provider or the connection said.
    package let error: String?
    /// Of the answer that was refused.
    package let status: Int?
    package let failureClass: FailureClass
    /// Only those that are known: the catalogue has a phrase for the others.
    package let arguments: [String: String]
    /// How the client proves who it is, where that has causes of its own; `nil` for any other way.
    package let proof: SentProof?
    /// Whether the answer is an error by a rule of the provider file, and can be read.
    package let isTold: Bool

    package init(
        kind: String, code: String, error: String?, status: Int? = nil, _ failureClass: FailureClass,
        proof: SentProof? = nil, isTold: Bool = false, arguments: [String: String] = [:]
    ) {
        self.proof = proof
        self.isTold = isTold
        self.kind = kind
        self.code = code
        self.error = error
        self.status = status
        self.failureClass = failureClass
        self.arguments = arguments
    }

    /// For an outcome that a hook gave: what it means otherwise is the other side's doing.
    package static func hookOutcome(
        _ failureClass: FailureClass, _ arguments: [String: String]
    ) -> FailureSubject {
        FailureSubject(
            kind: "", code: "hook_outcome", error: nil, failureClass, arguments: arguments)
    }

    private static let unreadCauses = ["too_large", "headers_too_large", "compressed"]

    /// The most specific first.
    fileprivate var keys: [String] {
        let cause = error.flatMap { $0.hasPrefix("tls_") ? "tls" : nil }
        // Whatever the step makes of what it cannot read: this was not read at all.
        let unread = error.flatMap { Self.unreadCauses.contains($0) && code == "malformed" ? $0 : nil }
        // Words of the server's own say less than the status that they come with.
        let refused = status.flatMap { $0 >= 400 && code == "malformed" ? "\(kind).http_\($0)" : nil }
        let keys = [
            error.map { "\(kind).\($0)" }, unread, refused,
            isTold && code == "malformed" ? "answered_error" : nil, "\(kind).\(code)", error, cause,
            code, failureClass.rawValue,
        ].compactMap(\.self)
        guard let proof else { return keys }
        return [error, code].compactMap { $0.map { "\(proof.rawValue).\($0)" } } + keys
    }
}

/// How a client proves who it is, where a refusal has causes of its own.
package enum SentProof: String, Sendable {
    /// It has no credentials that could be wrong.
    case nothing = "public_client"
    /// By its secret, in the body of the request.
    case postedSecret = "posting_client"
    /// By a JWT that it signs, with a key or with the secret.
    case assertion = "asserting_client"
    /// By a JWT that somebody else issues for it (RFC 7521 §4.2).
    case issuedAssertion = "attested_client"
    /// By the certificate of its connection (RFC 8705 §2).
    case certificate = "certified_client"

    /// How a request that names its client in its body proves it; `nil` for HTTP Basic, and where no client is named.
    ///
    /// - Parameters:
    ///   - body: The names of its parameters.
    ///   - fields: Those of its header fields.
    ///   - isIssued: Whether the client has an assertion that somebody else issues.
    ///   - references: The rules that ask for the parameters of its body.
    ///   - isOwn: Whether something that it bears is a proof by the provider's own rules.
    package init?(
        body: [String], fields: [String], isIssued: Bool, references: [String?], isOwn: Bool
    ) {
        if body.contains("client_assertion") {
            self = isIssued ? .issuedAssertion : .assertion
        } else if body.contains("client_secret") {
            self = .postedSecret
        } else if references.contains(ClientAuthentication.certificateReference) {
            self = .certificate
        } else if body.contains("client_id"), !fields.contains("Authorization"), !isOwn {
            self = .nothing
        } else {
            return nil
        }
    }

    /// Whether a secret of that kind, by any other name than the RFC's, proves the client: its own secret, or what the
    /// provider file makes of one, as a signature.
    package static func isOwn(_ kind: String) -> Bool {
        kind == Secret.Kind.clientSecret.rawValue || kind == Secret.Kind.other.rawValue
    }
}
