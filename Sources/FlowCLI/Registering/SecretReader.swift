internal import FlowLive
internal import OAuthProtocol

/// Reads secrets from where they lie; everything it says of them is where, never what.
struct SecretReader: Sendable {
    let surroundings: Surroundings
    /// Variables that programs do not get, because they hold secrets.
    let hiddenVariables: Set<String>
    /// Asked about what a file of registrations names; `nil` where nothing is read that one does.
    var gate: TrustGate?
    /// What was read before; `nil` where each secret is asked for once.
    var memory: SecretMemory?

    /// Secrets and keys are shorter; whatever is longer is something else.
    private static let longest = 1 << 16
    /// A person may have to unlock a password store.
    private static let commandMilliseconds = 60_000
    /// Milliseconds before it is said that a command is waited for: by then it has asked for what it may want to know.
    var commandPatience: Int64 = 3_000

    /// - Throws: Also when the file that names the secret is a project's and may not take it.
    func read(
        _ found: Found<SecretLocation>, _ what: String, kind: Secret.Kind, isPublic: Bool = false
    ) throws(Problem) -> Secret {
        try gate?.admit(found.place)
        return try read(found.value, what, kind: kind, isPublic: isPublic)
    }

    /// - Parameters:
    ///   - what: What it is, such as `client secret`.
    ///   - isPublic: Whether everybody may read its file: that of a certificate, or of an assertion, whose mode is the
    ///     choice of the cluster that writes it anew every hour.
    func read(
        _ location: SecretLocation, _ what: String, kind: Secret.Kind, isPublic: Bool = false
    ) throws(Problem) -> Secret {
        guard let memory else { return try readAnew(location, what, kind: kind, isPublic: isPublic) }
        return try memory.secret(in: location, kind) { () throws(Problem) in
            try readAnew(location, what, kind: kind, isPublic: isPublic)
        }
    }

    private func readAnew(
        _ location: SecretLocation, _ what: String, kind: Secret.Kind, isPublic: Bool
    ) throws(Problem) -> Secret {
        switch location {
        case .environment(let name): return try variable(name, what, kind)
        case .file(let path):
            do throws(FileProblem) {
                let absolute = FilePath.join(surroundings.directory, path)
                return try Self.secret(
                    try FileAccess.readSecret(absolute, isPublic: isPublic), path, what, kind)
            } catch {
                throw Problem(error)
            }
        case .standardInput where surroundings.input.isTerminal:
            let prompter = Prompter(surroundings: surroundings)
            guard let typed = try prompter.askHidden("The \(what) (not shown)", kind: kind) else {
                throw Problem(.config, "no \(what) was typed")
            }
            return typed
        case .standardInput:
            do throws(FileProblem) {
                let bytes = try surroundings.input.readAll(limit: Self.longest)
                return try Self.secret(bytes, "standard input", what, kind)
            } catch {
                throw Problem(error)
            }
        case .command(let words, let directory): return try output(of: words, in: directory, what, kind)
        case .keyring(let name): return try keyring(name, what, kind)
        }
    }

    private func variable(_ name: String, _ what: String, _ kind: Secret.Kind) throws(Problem) -> Secret {
        guard let text = surroundings.variable(name) else {
            let isEmpty = surroundings.environment[name] != nil
            throw Problem(
                .config,
                "the \(what) should be in the variable \(name), which is \(isEmpty ? "set and empty" : "not set")",
                hints: [
                    isEmpty
                        ? "a job that was not given the secret has it so: see where the job is described"
                        : "set it: export \(name)=…"
                ])
        }
        return Secret(text, kind: kind)
    }

    /// Keys and certificates in PEM have many; a program that prints more than an assertion warns of something.
    private static func isOneLine(_ kind: Secret.Kind) -> Bool {
        kind == .clientSecret || kind == .clientAssertion
    }

    private static func secret(
        _ bytes: [UInt8], _ place: String, _ what: String, _ kind: Secret.Kind
    ) throws(FileProblem) -> Secret {
        let text = SecretText.line(bytes)
        guard !text.isEmpty else { throw FileProblem(place, "holds no \(what)") }
        guard !isOneLine(kind) || !text.contains(where: \.isNewline) else {
            throw FileProblem(place, "holds more than one line, and a \(what) is one")
        }
        return Secret(text, kind: kind)
    }

    // MARK: Keyring

    private func keyring(_ name: String, _ what: String, _ kind: Secret.Kind) throws(Problem) -> Secret {
        let found: Secret?
        do throws(KeyringError) {
            found = try SlowWork.runAndWait(
                tellingAfter: Keyring.patience, { surroundings.tellWait(for: StoreSetup.keyringWait) }
            ) { () throws(KeyringError) in try Keyring.lookUp(name, kind: kind) }
        } catch {
            throw Self.problem(error, what)
        }
        guard let found, !found.isEmpty else {
            throw Problem(
                .config, "the keyring has no entry \"\(name)\" with the \(what)",
                hints: [
                    "keep it there: secret-tool store --label=\"flowrun \(name)\" \(Keyring.attribute) \(name)"
                ])
        }
        return found
    }

    private static func problem(_ error: KeyringError, _ what: String) -> Problem {
        let elsewhere = "or keep the \(what) elsewhere: {file: PATH} or {command: [PROGRAM, ...]}"
        switch error {
        case .noLibrary(let reason):
            return Problem(
                .local, "the keyring needs libsecret: \(RemoteText.sanitize(reason))",
                hints: ["install it: apt install libsecret-1-0", elsewhere])
        case .unavailable(let reason):
            return Problem(
                .local, "the keyring cannot be asked: \(RemoteText.sanitize(reason))",
                hints: [
                    "a keyring service such as gnome-keyring must run in this session and be unlocked",
                    elsewhere,
                ])
        }
    }

    // MARK: Command

    /// What a program prints. Its errors are shown as they come, since it may be asking for something.
    private func output(
        of words: [String], in directory: String, _ what: String, _ kind: Secret.Kind
    ) throws(Problem) -> Secret {
        let folder = FilePath.join(surroundings.directory, directory)
        let program = words.first ?? ""
        guard
            let path = ProgramSearch.locate(program, from: folder, path: surroundings.variable("PATH"))
        else {
            throw Problem(
                .config, "the \(what) should come from the command \"\(program)\", which is not there",
                hints: ["a bare name is looked up in PATH, a path starts at the folder of flowrun.yaml"])
        }
        guard !ProgramSearch.isOpenToAnybody(path) else {
            throw Problem(
                .config, "the \(what) should come from \(path), which anybody on this machine can replace",
                hints: ["chmod o-w it and its folder, or keep it elsewhere"])
        }
        let request = ProcessRequest(
            arguments: [path] + words.dropFirst(), environment: environment, directory: folder,
            timeoutMilliseconds: Self.commandMilliseconds, maxOutputBytes: Self.longest,
            errorDescriptor: surroundings.error.descriptor)
        let result: ProcessResult
        do throws(SpawnFailure) {
            let limit = "up to \(Self.commandMilliseconds / 1_000) s"
            result = try SlowWork.runAndWait(
                tellingAfter: commandPatience,
                { surroundings.tellWait(for: "the command \"\(program)\" to give the \(what), \(limit)") }
            ) { () throws(SpawnFailure) in try runStoppable(request) }
        } catch {
            throw Problem(.local, "the command \"\(program)\" cannot be started: \(error.reason)")
        }
        if !result.errors.bytes.isEmpty {
            surroundings.error.write(String(decoding: result.errors.bytes, as: UTF8.self))
        }
        let text = try Self.check(result, program, what)
        guard !text.isEmpty else {
            throw Problem(.config, "the command \"\(program)\" printed no \(what)")
        }
        guard !Self.isOneLine(kind) || !text.contains(where: \.isNewline) else {
            throw Problem(
                .config, "the command \"\(program)\" printed more than one line, and a \(what) is one",
                hints: ["let it print the first line alone, as with head -n 1"])
        }
        return Secret(text, kind: kind)
    }

    /// Whoever stops flowrun stops the program that it waits for.
    private func runStoppable(_ request: ProcessRequest) throws(SpawnFailure) -> ProcessResult {
        guard let interruption = surroundings.interruption else {
            return try ProcessRunner.runAndWait(request)
        }
        let cancellation = WaitCancellation()
        return try interruption.ending(by: cancellation.cancel) { () throws(SpawnFailure) in
            try ProcessRunner.runAndWait(request, cancellation)
        }
    }

    private static func check(
        _ result: ProcessResult, _ program: String, _ what: String
    ) throws(Problem) -> String {
        guard result.interruption != .cancelled else {
            throw Problem(.local, "the command \"\(program)\" was stopped before it gave the \(what)")
        }
        guard result.interruption == nil else {
            throw Problem(
                .local, "the command \"\(program)\" gave no \(what) within \(commandMilliseconds / 1_000) s")
        }
        switch result.end {
        case .exited(0): break
        case .exited(let status):
            throw Problem(
                .config, "the command \"\(program)\" gave no \(what): it ended with status \(status)")
        case .signalled(let signal):
            throw Problem(.config, "the command \"\(program)\" gave no \(what): signal \(signal) ended it")
        case .unknown:
            throw Problem(
                .local, "the command \"\(program)\" gave no \(what): \(ProcessEnd.unknownWords)")
        }
        guard !result.output.isTruncated else {
            throw Problem(.config, "the command \"\(program)\" printed more than \(longest) bytes")
        }
        return SecretText.line(result.output.bytes)
    }

    /// Password stores need most of the environment; none needs our secrets.
    private var environment: [(String, String)] {
        surroundings.withoutSecrets(hiddenVariables).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension Surroundings {
    private static let secretEndings = [
        "_CLIENT_SECRET", "_PRIVATE_KEY", "_CLIENT_ASSERTION", "_CERTIFICATE_KEY", "_PASSPHRASE",
    ]

    /// The environment for other programs: without the variables that hold client secrets and keys.
    func withoutSecrets(_ names: Set<String>) -> [String: String] {
        environment.filter {
            let name = $0.key
            return !Self.secretEndings.contains(where: name.hasSuffix) && !names.contains(name)
        }
    }
}
