internal import FlowLive
internal import Glibc
internal import OAuthProtocol

/// Questions to a person at the terminal: asked on standard error, answered on standard input.
struct Prompter: Sendable {
    let surroundings: Surroundings

    /// Answers are shorter; whatever is longer was not typed.
    private static let longest = 1 << 14

    static func canAsk(_ surroundings: Surroundings) -> Bool {
        surroundings.input.isTerminal && surroundings.error.isTerminal
    }

    func say(_ text: String) { surroundings.error.write(text + "\n") }

    /// An answer; nothing typed is the standard one, and without one the question is asked again.
    ///
    /// - Parameter check: Why an answer will not do.
    func ask(
        _ question: String, standard: String? = nil, check: (String) -> String? = { _ in nil }
    ) throws(Problem) -> String {
        while true {
            surroundings.error.write("\(question)\(standard.map { " [\($0)]" } ?? ""): ")
            let typed = try line()
            guard let answer = typed.isEmpty ? standard : typed else { continue }
            guard let problem = check(answer) else { return answer }
            say("  \(problem)")
        }
    }

    /// Whether somebody says yes; nothing typed is no.
    ///
    /// What is neither is asked about again, twice at most, and is no then.
    func agrees(_ question: String) throws(Problem) -> Bool {
        for isLast in [false, false, true] {
            switch try ask("\(question) yes or no", standard: "no").lowercased() {
            case "y", "yes": return true
            case "n", "no": return false
            default: if !isLast { say("  yes or y is yes; no, n or nothing is no") }
            }
        }
        return false
    }

    /// The number of one of the choices, from 0.
    func choose(_ question: String, _ choices: [String]) throws(Problem) -> Int {
        say(question)
        for (index, choice) in choices.enumerated() { say("  \(index + 1)  \(choice)") }
        let answer = try ask("Choose 1-\(choices.count)", standard: "1") { text in
            Int(text).map { (1...choices.count).contains($0) } == true
                ? nil : "a number from 1 to \(choices.count)"
        }
        return (Int(answer) ?? 1) - 1
    }

    /// What is typed while nothing of it is shown; `nil` when nothing was typed.
    func askHidden(_ question: String, kind: Secret.Kind = .clientSecret) throws(Problem) -> Secret? {
        let text = try withoutEcho(question)
        return text.isEmpty ? nil : Secret(text, kind: kind)
    }

    // MARK: Reading

    private func line(_ cancellation: WaitCancellation? = nil) throws(Problem) -> String {
        guard case .descriptor(let descriptor) = surroundings.input else { throw Self.ended }
        var bytes: [UInt8] = []
        while bytes.count < Self.longest {
            if let cancellation, !cancellation.waitToRead(descriptor) { throw Self.stopped }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else {
                if bytes.isEmpty { throw Self.ended }
                break
            }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
        return String(text[..<end].drop(while: \.isWhitespace))
    }

    private static let ended = Problem(.authRequired, "the input ended before everything was answered")
    private static let stopped = Problem(.authRequired, "the question was not answered")

    /// The terminal is as it was afterwards, a signal in between included.
    ///
    /// Nothing is asked before it hides what is typed, for whoever answers at once.
    private func withoutEcho(_ question: String) throws(Problem) -> String {
        guard case .descriptor(let descriptor) = surroundings.input else { throw Self.ended }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            throw Problem(.local, "the terminal cannot be told to hide what is typed")
        }
        let restore: @Sendable () -> Void = { [settings] in
            var before = settings
            tcsetattr(descriptor, TCSANOW, &before)
        }
        let cancellation = WaitCancellation()
        func typed() throws(Problem) -> String {
            defer { restore() }
            settings.c_lflag &= ~tcflag_t(ECHO)
            // What was typed ahead was not meant for here.
            guard tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
                throw Problem(.local, "the terminal cannot be told to hide what is typed")
            }
            surroundings.error.write("\(question): ")
            defer { surroundings.error.write("\n") }
            return try line(cancellation)
        }
        guard let interruption = surroundings.interruption else { return try typed() }
        // Where nothing else takes the signal, the process ends before what is waited for does.
        let end: @Sendable () -> Void = {
            cancellation.cancel()
            restore()
        }
        return try interruption.ending(by: end, typed)
    }
}
