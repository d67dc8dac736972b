internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `http`: a request that bears the session's access token.
struct HTTPCommand: Sendable {
    let context: CommandContext
    let request: HTTPCallRequest

    private var surroundings: Surroundings { context.surroundings }

    /// Of a body, either way: it is held in memory.
    private static let largestBody = 64 << 20

    func run() async throws(Problem) -> Int {
        let call = ResourceRequest(
            method: request.method, url: request.url, fields: try fields(), body: try body())
        var session = request.session
        session.tellsWaits = context.common.verbosity == 1
        let access = try SessionAccess(context, session)
        let metadata = CachedMetadata(surroundings).fields(of: access.provider.bound)
        let hosts = try TokenHosts(
            request.allowedHosts, resources: request.resources, of: access.provider, metadata)
        try hosts.check(request.url)
        let setup = LiveSetup(surroundings: surroundings, secretVariables: access.secretVariables)
        let client = try setup.resourceClient(
            request.session.live, context.common, maximumBytes: Self.largestBody)
        defer { client.shutDown() }
        var tokens = try await access.tokens()
        var secrets = tokens.secrets
        var answer = try await send(call, tokens, access, client)
        if let other = try await another(
            than: tokens, for: answer, access, isOfProvider: hosts.isOfProvider(request.url))
        {
            tokens = other
            secrets += tokens.secrets
            answer = try await send(call, tokens, access, client)
        }
        try write(answer)
        return try status(answer, access, tokens, SecretIndex(secrets))
    }

    /// Another token, where one may help.
    ///
    /// - Parameter isOfProvider: Whether the answer is one that the provider's file speaks of.
    /// - Throws: Where there is none, for an answer that surely is about the token.
    private func another(
        than tokens: TokenSet, for answer: HTTPResponse, _ access: SessionAccess, isOfProvider: Bool
    ) async throws(Problem) -> TokenSet? {
        let isCertain = Self.isRecoverable(answer)
        let isTakenForOne =
            isOfProvider && answer.status != 401 && access.provider.takesForDeadToken(answer)
        guard isCertain || isTakenForOne else { return nil }
        do throws(Problem) {
            return try await access.replacing(tokens.accessToken)
        } catch {
            // It may be about something else.
            guard isCertain else { return nil }
            try write(answer)
            throw error
        }
    }

    /// Whether another token may help: what asks for a stronger sign-in or another scope does not (RFC 9470 §3, RFC 6750
    /// §3.1).
    private static func isRecoverable(_ answer: HTTPResponse) -> Bool {
        guard answer.status == 401 else { return false }
        let hopeless = ["insufficient_user_authentication", "insufficient_scope"]
        return !answer.challenges.contains { challenge in
            challenge.parameter("error").map(hopeless.contains) ?? false
        }
    }

    private func send(
        _ call: ResourceRequest, _ tokens: TokenSet, _ access: SessionAccess, _ client: ResourceClient
    ) async throws(Problem) -> HTTPResponse {
        do throws(ResourceFailure) {
            return try await client.send(call, tokens, of: access.provider)
        } catch {
            switch error {
            case .transport(let failure):
                let probe = ProbeFailure.transport(failure)
                // Which runs for as long as a command needs it, and this one asks what it serves from outside.
                let sandbox = access.provider.descriptor.isSandbox ? access.provider.declared.issuer : nil
                let first = sandbox.map { "first: \(SandboxCommand.line(issuer: $0))" }
                throw Problem(probe.status, probe.words, hints: [first ?? probe.fix].compactMap(\.self))
            case .tokenType(let name):
                throw Problem(.provider, "a token of the type \(RemoteText.sanitize(name)) cannot be sent")
            case .key:
                throw Problem(.local, "the key that the token is bound to cannot sign")
            }
        }
    }

    // MARK: Request

    private func fields() throws(Problem) -> [HTTPField] {
        let names = Set(request.fields.map { $0.name.lowercased() })
        var fields = request.fields
        if !names.contains("accept") { fields.append(HTTPField("Accept", "*/*")) }
        if request.body != nil, !names.contains("content-type") {
            fields.append(
                HTTPField("Content-Type", request.isJSON ? "application/json" : FormBody.contentType))
        }
        return fields
    }

    private func body() throws(Problem) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(FileProblem) {
            switch request.body {
            case nil: return nil
            case .text(let text)?: bytes = Array(text.utf8)
            case .file(let path)?:
                bytes = try FileAccess.read(
                    FilePath.join(surroundings.directory, path), limit: Self.largestBody)
            case .standardInput?:
                bytes = try context.input(limit: Self.largestBody, asking: "type the body")
            }
        } catch {
            throw Problem(error, .usage)
        }
        if request.isJSON {
            // Why it is none would repeat part of it.
            guard (try? JSON.parse(bytes)) != nil else {
                throw Problem(.usage, "the body of --json-body is no JSON")
            }
        }
        return bytes
    }

    // MARK: Answer

    private func write(_ answer: HTTPResponse) throws(Problem) {
        if request.showsFields { context.write(Self.head(answer)) }
        guard let target = request.target else { return surroundings.output.write(answer.body) }
        do throws(FileProblem) {
            let file = try TextStream(file: FilePath.join(surroundings.directory, target))
            file.write(answer.body)
            if file.hasFailed { throw FileProblem(target, "could not be written completely") }
        } catch {
            throw Problem(error, .local)
        }
    }

    /// As curl shows it: every exchange is one of HTTP/1.1.
    private static func head(_ answer: HTTPResponse) -> String {
        let lines = answer.fields.map { field in
            "\(RemoteText.sanitize(field.name)): \(RemoteText.sanitize(field.value, limit: longestField))\n"
        }
        return "HTTP/1.1 \(answer.status)\n\(lines.joined())\n"
    }

    private static let longestField = 8_192

    /// - Parameters:
    ///   - tokens: What was sent.
    ///   - index: Of the tokens: a server may repeat what it was sent.
    private func status(
        _ answer: HTTPResponse, _ access: SessionAccess, _ tokens: TokenSet, _ index: SecretIndex
    ) throws(Problem) -> Int {
        let place = String(request.url.prefix { $0 != "?" })
        func refusal(_ status: ExitStatus, _ words: String) -> Problem {
            let advice = ResourceAdvice(
                signIn: request.session.isClientsOwn ? nil : access.signIn, scopes: tokens.scopes)
            return Problem(
                status, words + Self.reason(answer, index), hints: advice.hints(for: answer, index))
        }
        switch answer.status {
        case ..<300: break
        case ..<400:
            let target = answer.field("Location").map {
                RemoteText.sanitize(index.replaced(in: $0), limit: 500)
            }
            context.note(
                "\(place) redirects to \(target ?? "another place"); the token is not sent there by itself")
        case 401: throw refusal(.authRequired, "\(place) refuses the token")
        default: throw refusal(.provider, "\(place) answers \(answer.status)")
        }
        return ExitStatus.ok.rawValue
    }

    /// What the challenge or the body says, where one says something.
    private static func reason(_ answer: HTTPResponse, _ index: SecretIndex) -> String {
        let error = ResourceRefusal.error(in: answer)
        let words =
            error.map { [$0.code, $0.description] } ?? [ResourceRefusal.words(in: answer)]
        let told = words.compactMap(\.self).map { RemoteText.sanitize(index.replaced(in: $0)) }
        return told.isEmpty ? "" : ": " + told.joined(separator: ", ")
    }
}
