internal import FlowLanguage
internal import FlowLive
internal import OAuthProtocol

/// Asks where a secret is kept; never keeps it itself, but for a private file that a person asks for.
struct SecretQuestions: Sendable {
    let prompter: Prompter
    let surroundings: Surroundings
    /// What the keyring entry and the file are called unless a person says otherwise.
    let name: String
    /// Turns a typed path into one for `flowrun.yaml`.
    let path: @Sendable (String) -> String

    /// - Parameters:
    ///   - what: Such as `client secret`.
    ///   - variable: The usual environment variable.
    ///   - none: What it means that there is none; `nil` where there must be one.
    func source(of what: String, variable: String, none: String?) throws(Problem) -> SecretSource? {
        let places = [
            "in an environment variable", "in a file", "printed by a command, as of a password store",
            "in the keyring of this desktop",
        ]
        let choice = try prompter.choose(
            "Where is the \(what)? It is not written to flowrun.yaml.", places + (none.map { [$0] } ?? []))
        switch choice {
        case 0:
            return .environment(
                try prompter.ask("Variable", standard: variable) {
                    Self.problem(withVariable: $0, surroundings)
                })
        case 1: return try file(what)
        case 2: return .command(try command())
        case 3:
            let entry = try prompter.ask("Name of the entry", standard: name)
            prompter.say(
                "  keep it there: secret-tool store --label=\"flowrun \(entry)\" \(Keyring.attribute) \(entry)"
            )
            return .keyring(entry)
        default: return nil
        }
    }

    /// Whoever pastes the secret itself would find it in `flowrun.yaml`.
    private static func problem(withVariable name: String, _ surroundings: Surroundings) -> String? {
        guard SecretSource.isVariableName(name) else {
            return "the name of a variable: letters, digits and underscores, no digit first"
        }
        let isMixed = name.contains(where: \.isUppercase) && name.contains(where: \.isLowercase)
        guard isMixed, surroundings.variable(name) == nil else { return nil }
        return
            "no variable has this name, and a secret may look so: give the name of the one that will hold it"
    }

    private func command() throws(Problem) -> [String] {
        let text = try prompter.ask("Command, as: pass show \(name)") { text in
            guard let words = WordSplitting.words(text) else { return "a quote is not closed" }
            return WordSplitting.problem(with: words)
        }
        return WordSplitting.words(text) ?? [text]
    }

    private func file(_ what: String) throws(Problem) -> SecretSource {
        let folder = UserDirectories(surroundings).configuration.map { FilePath.join($0, "secrets") }
        let typed = try prompter.ask(
            "File", standard: FilePath.join(folder ?? surroundings.directory, name))
        let absolute = FilePath.join(surroundings.directory, UserPath.expanded(typed, surroundings))
        if FileAccess.status(absolute) == nil {
            if let secret = try prompter.askHidden(
                "There is no such file. Type the \(what) to make it (not shown), or nothing")
            {
                try write(secret, absolute)
                prompter.say("  wrote \(absolute), which only you can read")
            } else {
                prompter.say("  put it there later: umask 077; cat > \(absolute)")
            }
        }
        return .file(path(absolute))
    }

    private func write(_ secret: Secret, _ path: String) throws(Problem) {
        do throws(FileProblem) {
            try PrivateFile.makeDirectory(FilePath.parent(of: path))
            let stream = try TextStream(file: path)
            stream.write(secret.reveal() + "\n")
            guard !stream.hasFailed else { throw FileProblem(path, "it could not be written") }
        } catch {
            throw Problem(error, .local)
        }
    }
}

/// Paths as people type them.
enum UserPath {
    static func expanded(_ path: String, _ surroundings: Surroundings) -> String {
        guard path.hasPrefix("~/"), let home = surroundings.home else { return path }
        return FilePath.join(home, String(path.dropFirst(2)))
    }

    /// For a file in `folder`: relative where it lies below it, else absolute.
    static func stored(_ path: String, in folder: String, _ surroundings: Surroundings) -> String {
        FilePath.shown(
            FilePath.join(surroundings.directory, expanded(path, surroundings)),
            from: folder == "." ? surroundings.directory : FilePath.join(surroundings.directory, folder))
    }
}

/// A command line in words, as far as quotes go; nothing else of a shell is understood.
enum WordSplitting {
    /// What of it only a shell would understand.
    static func problem(with words: [String]) -> String? {
        let signs: Set = ["|", "||", "&&", "&", ";", ">", ">>", "<"]
        return words.first { signs.contains($0) }.map { sign in
            "no shell reads \(sign) here; with one: sh -c '\(words.joined(separator: " "))'"
        }
    }

    /// - Returns: `nil` when a quote is not closed, or there is no word.
    static func words(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        return words.isEmpty ? nil : words
    }
}
