internal import FlowEngine
internal import FlowReport
internal import JOSE
internal import OAuthProtocol

/// `trace verify`: whether a text that is about to be shown to others holds a secret.
struct LeakCommand: Sendable {
    let context: CommandContext
    let form: Command.Form
    let isStrict: Bool

    private static let largest = 256 << 20

    func run(_ paths: [String], _ secrets: [ClientOptions.SecretPlace]) throws(Problem) -> Int {
        let scanner = LeakScanner(known: try known(secrets))
        var found: [(path: String, leak: LeakScanner.Leak)] = []
        var unread: [Problem] = []
        for path in paths.map(TraceFiles(surroundings: context.surroundings).file) {
            // What is wrong with one file must not hide the leaks of another.
            do throws(Problem) {
                let text = try text(path)
                found += scanner.leaks(in: text).map { (path, $0) }
                tellStanding(of: path, text)
            } catch {
                unread.append(error)
            }
        }
        let count = found.count { $0.leak.isSure || isStrict }
        switch form {
        case .json: context.write(Self.json(found).serialize() + "\n")
        case .text: write(found, unread.isEmpty ? paths.count : nil)
        }
        if count == 0, let first = unread.first {
            for problem in unread.dropFirst() { context.surroundings.complain(problem.message) }
            throw first
        }
        for problem in unread { context.surroundings.complain(problem.message) }
        return count == 0 ? ExitStatus.ok.rawValue : ExitStatus.security.rawValue
    }

    /// Of a trace that has no last line more may come.
    private func tellStanding(of path: String, _ text: String) {
        guard text.hasPrefix("{"), let events = try? TraceReader.read(Array(text.utf8)) else { return }
        let place = path == "-" ? nil : FilePath.join(context.surroundings.directory, path)
        if let words = TraceStanding(events, place).words {
            context.surroundings.complain("\(path): \(words)")
        }
    }

    private func text(_ path: String) throws(Problem) -> String {
        let bytes = try context.bytes(of: path, limit: Self.largest, asking: "paste the text to look through")
        guard !bytes.isEmpty else {
            throw Problem(.config, "\(path) is empty: there is nothing to look at")
        }
        // Packed files and UTF-16 hold zeros, and no secret that could be seen.
        guard !bytes.contains(0) else {
            throw Problem(
                .config, "\(path) is no text in UTF-8, in which a secret could be found",
                hints: ["unpack it, or write it in UTF-8 first"])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func known(
        _ places: [ClientOptions.SecretPlace]
    ) throws(Problem) -> [(name: String, value: String)] {
        let reader = SecretReader(surroundings: context.surroundings, hiddenVariables: [])
        var known: [(name: String, value: String)] = []
        for place in places {
            let name =
                switch place {
                case .environment(let name), .file(let name): name
                case .standardInput: "standard input"
                }
            let secret = try reader.read(SecretLocation(place), "secret to look for", kind: .other)
            guard secret.length >= SecretIndex.shortestWord else {
                throw Problem(
                    .usage,
                    "\(name) holds less than \(SecretIndex.shortestWord) bytes, which would be found in everything"
                )
            }
            known.append((name, secret.reveal()))
        }
        return known
    }

    /// The values themselves are not shown: that would be one leak more.
    ///
    /// - Parameter files: How many were looked at; `nil` when not all could be.
    private func write(_ found: [(path: String, leak: LeakScanner.Leak)], _ files: Int?) {
        for (path, leak) in found {
            let word = leak.isSure || isStrict ? "leak" : "look at"
            context.write("\(path):\(leak.line):\(leak.column): \(word): \(leak.what)\n")
        }
        if found.isEmpty, let files { context.note("no secret in \(files == 1 ? "it" : "\(files) files")") }
    }

    private static func json(_ found: [(path: String, leak: LeakScanner.Leak)]) -> JSONValue {
        .array(
            found.map { path, leak in
                [
                    "file": .string(path), "line": .int(Int64(leak.line)), "col": .int(Int64(leak.column)),
                    "what": .string(leak.what), "sure": .bool(leak.isSure),
                ]
            })
    }
}
