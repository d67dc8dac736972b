@testable import FlowEngine

/// The reference page of failures, as Markdown, from the table of codes and the English texts.
///
/// A file of the documentation holds exactly this text; a test says when it is out of date.
enum FailurePage {
    static var markdown: String {
        preface + FailureClass.allCases.map(section).joined()
    }

    private static let preface = """
        # Failures

        Why a sign-in did not succeed: eight classes, and a stable code for everything that can go wrong.

        ## Overview

        This page is made from the table that the engine itself uses. A program decides by the class, tells a person the
        text, and logs the code: ``SignInFailure`` has all three. `flowrun explain CODE` shows the causes and what helps.
        The texts are English; ``FailureTexts`` takes those of another language, from a value or from a file, and what it
        lacks stays English. What a provider's descriptor says under `errors` comes before them.

        The statuses are those of the process; an end's own `exit` wins. A flow may declare codes of its own, which have
        the class of the end's `exit`, else that of the outcome.

        """

    private static func section(_ failureClass: FailureClass) -> String {
        let rows = FailureCode.all.filter { $0.failureClass == failureClass }.map { code in
            let subject = FailureSubject(kind: "", code: code.name, error: nil, failureClass)
            let headline = FailureTexts.english.text(for: subject).headline
            return "| `\(code.name)` | \(code.exitStatus) | \(headline) |\n"
        }
        return """

            ## \(failureClass.rawValue)

            Status \(failureClass.exitStatus): \(failureClass.meaning).

            | Code | Status | What it means |
            | --- | --- | --- |
            \(rows.joined())
            """
    }
}

extension FailureClass {
    /// One sentence for the documentation.
    fileprivate var meaning: String {
        switch self {
        case .cancelled: "the person or the program gave up, or the time was over"
        case .denied: "the person, a policy of the provider or a hook said no"
        case .configuration: "a file, a registration, the setup or the flow does not fit"
        case .provider: "the provider answered with an error, or with something else than it should"
        case .network: "no connection, or no answer"
        case .security: "a check against attackers failed; nothing of the answer was used"
        case .session: "there is no usable session: a person must sign in"
        case .storage: "the store, or something else of this machine"
        }
    }
}
