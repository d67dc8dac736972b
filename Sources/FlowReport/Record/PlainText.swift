internal import FlowEngine

extension TracedValue {
    /// As one text: `‹code_verifier›`, in a live run `‹code_verifier 43 #c3d1›`.
    var plain: String {
        switch self {
        case .text(let text): text
        case .secret(let kind, let length, let fingerprint): Self.placeholder(kind, length, fingerprint)
        case .prefixed(let prefix, let kind, let length, let fingerprint):
            prefix + Self.placeholder(kind, length, fingerprint)
        }
    }

    var isSecret: Bool {
        switch self {
        case .text: false
        case .secret, .prefixed: true
        }
    }

    var fingerprint: String? {
        switch self {
        case .text: nil
        case .secret(_, _, let fingerprint), .prefixed(_, _, _, let fingerprint): fingerprint
        }
    }

    private static func placeholder(_ kind: String, _ length: Int?, _ fingerprint: String?) -> String {
        let parts = [kind, length.map(String.init), fingerprint.map { "#\($0)" }].compactMap(\.self)
        return "‹\(parts.joined(separator: " "))›"
    }
}

extension TracedCheck.Verdict {
    /// `passed`, `expected a, got b`
    var plain: String {
        switch self {
        case .passed: "passed"
        case .failed(let expected, let actual): "expected \(expected), got \(actual)"
        case .notApplicable(let reason): "not applicable: \(reason)"
        case .relaxed(let reason): "relaxed: \(reason)"
        }
    }

    /// The word that JSON Lines have for it.
    var word: String {
        switch self {
        case .passed: "pass"
        case .failed: "fail"
        case .notApplicable: "not_applicable"
        case .relaxed: "relaxed"
        }
    }
}
