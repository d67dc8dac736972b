internal import FlowEngine
internal import FlowLanguage
internal import OAuthProtocol

/// A file with the token alone, as AWS_WEB_IDENTITY_TOKEN_FILE names it.
struct TokenFile: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    func answer() async throws(Problem) {
        let access = try SessionAccess(context, request.session)
        let path = try path(access.provider.descriptor.id)
        do throws(FileProblem) {
            try Self.checkPlace(path)
        } catch {
            throw Problem(error, .local)
        }
        let token = try await HelperToken.get(request.token, access, for: "the program that reads the file")
        do throws(FileProblem) {
            try FileReplacement.replacePrivate(path, with: token.secret.reveal())
        } catch {
            throw Problem(error, .local)
        }
        context.write(path + "\n")
    }

    private func path(_ provider: String) throws(Problem) -> String {
        if let file = request.file { return FilePath.join(context.surroundings.directory, file) }
        guard let path = Self.path(provider, request.session.profile, context.surroundings) else {
            throw .noPlace(
                for: "the file", context.surroundings, instead: "give --file, or set XDG_STATE_HOME")
        }
        return path
    }

    /// Where the file is when nobody names another place; `nil` where there is no place for it.
    private static func path(
        _ provider: String, _ profile: String, _ surroundings: Surroundings
    ) -> String? {
        UserDirectories(surroundings).state.map {
            FilePath.join($0, "credentials/\(SessionName.text(provider, profile))")
        }
    }

    /// Deletes the file of a session that is forgotten; one that was written elsewhere is its reader's.
    static func delete(of provider: String, _ profile: String, _ context: CommandContext) {
        guard let path = path(provider, profile, context.surroundings), FileAccess.status(path) != nil else {
            return
        }
        do throws(FileProblem) {
            try checkPlace(path)
            try PrivateFile.remove(path)
            context.note("\(path) is deleted too")
        } catch {
            context.surroundings.complain("a token of the session may be left: \(error.description)")
        }
    }

    /// A token is one word; a file that holds anything else is somebody's.
    private static func checkPlace(_ path: String) throws(FileProblem) {
        guard FileAccess.status(path) != nil else { return }
        let bytes = try FileAccess.read(path, limit: CredentialRequest.longestQuestion)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw FileProblem(path, "holds something else than a token, and is left as it is")
        }
    }
}

/// Lines of a netrc file.
struct NetrcCredential: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    private static let mark = "# written by flowrun credential netrc\n"

    func answer() async throws(Problem) {
        let access = try SessionAccess(context, request.session)
        let hosts = try ServedHosts(request.hosts, of: access.provider)
        let path = request.file.map { FilePath.join(context.surroundings.directory, $0) }
        do throws(FileProblem) {
            if let path { try Self.checkPlace(path) }
        } catch {
            throw Problem(error, .local)
        }
        let token = try await HelperToken.get(.access, access, for: "a netrc file")
        let user = request.user ?? CredentialRequest.standardUser
        // Such a file knows hosts without ports.
        var machines: [String] = []
        for name in hosts.names.map(Self.machine) where !machines.contains(name) { machines.append(name) }
        let lines = machines.map { "machine \($0) login \(user) password \(token.secret.reveal())\n" }
        guard let path else { return context.write(lines.joined()) }
        do throws(FileProblem) {
            try FileReplacement.replacePrivate(path, with: Self.mark + lines.joined())
        } catch {
            throw Problem(error, .local)
        }
        context.write(path + "\n")
    }

    private static func machine(_ name: String) -> String {
        guard let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isNumber) else {
            return name
        }
        return String(name[..<colon])
    }

    private static func checkPlace(_ path: String) throws(FileProblem) {
        guard FileAccess.status(path) != nil else { return }
        let bytes = try FileAccess.read(path)
        guard bytes.isEmpty || bytes.starts(with: mark.utf8) else {
            throw FileProblem(path, "is somebody else's, and is left as it is")
        }
    }
}
