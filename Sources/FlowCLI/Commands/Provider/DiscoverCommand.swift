internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// `provider discover`: what a provider publishes, and a provider file made of it.
struct DiscoverCommand: Sendable {
    let context: CommandContext
    let request: DiscoverRequest

    private struct Published {
        let issuer: String
        let url: String
        let metadata: DiscoveredMetadata
        let keys: Result<JWKSet, ProbeFailure>?
        /// That led there.
        var resource: ProtectedResource?
    }

    func run() async throws(Problem) -> Int {
        try checkTarget()
        let probe = try LiveSetup(surroundings: context.surroundings, secretVariables: []).probe(
            request.live, context.common)
        defer { probe.shutDown() }
        let published = try await find(probe, try IssuerText(request.issuer).issuer)
        let draft = DescriptorDraft(
            name: try name(published.resource?.identifier ?? published.issuer), issuer: published.issuer,
            url: published.url, isTold: request.metadataURL != nil, fields: published.metadata.fields,
            resource: published.resource,
            readsClientDocuments: published.metadata.document[ClientMetadataDocument.serverMember] == true)
        if let target = request.target {
            try write(draft, target)
            if target != "-" { remark(published, draft) }
        } else if request.form == .json {
            context.write(json(published, draft))
        } else {
            context.write(text(published))
            if published.metadata.fields.tokenEndpoint == nil {
                context.note("it names no token_endpoint, without which nobody gets a token")
            }
            remark(published, draft)
            context.note("for a provider file: \(again) --write FILE\(connection)")
        }
        return ExitStatus.ok.rawValue
    }

    /// The command as it was given.
    private var again: String {
        let options = [
            ("name", request.name), ("resource", request.resource), ("metadata-url", request.metadataURL),
        ]
        let words = options.flatMap { name, value in value.map { ["--\(name)", $0] } ?? [] }
        return "flowrun " + ShellWords.quoted(["provider", "discover", request.issuer] + words)
    }

    /// Says what `provider test` would of a file made of the metadata.
    private func remark(_ published: Published, _ draft: DescriptorDraft) {
        let source = SourceFile(path: "\(draft.name).yaml", text: draft.text)
        // What is wrong with such a file is told where one is written.
        guard let descriptor = ProviderReader.read(source).descriptor,
            let bound = try? descriptor.bind(variables: [:])
        else { return }
        let provider = BoundProvider(
            descriptor: descriptor, bound: bound,
            registration: ClientRegistration(clientID: "", authenticationMethod: .none))
        let comparison = MetadataComparison(
            provider: provider, published: published.metadata, scopes: [])
        for check in comparison.checks() where check.verdict != .pass {
            context.note("\(check.id): \(check.detail)")
        }
    }

    // MARK: Asking

    /// What the issuer publishes; for an address that is none, what the issuer does whose tokens are taken there.
    private func find(_ probe: ProviderProbe, _ address: String) async throws(Problem) -> Published {
        if let named = request.resource {
            let resource = try IssuerText(named).issuer
            switch await self.resource(probe, resource) {
            case .success(let found): return try await ask(probe, address, for: found)
            case .failure(let failure): throw problem(failure, resource)
            }
        }
        do throws(ProbeFailure) {
            return try await ask(probe, address)
        } catch {
            guard case .answer = error else { throw problem(error, address) }
            let resource: ProtectedResource
            switch await self.resource(probe, address) {
            case .success(let found): resource = found
            // It is no resource either.
            case .failure(.answer(.status, _)), .failure(.transport): throw problem(error, address)
            case .failure(let failure): throw problem(failure, address)
            }
            let servers = resource.authorizationServers
            guard let server = servers.first else {
                throw Problem(
                    .provider, "\(address) does not say whose tokens it takes",
                    hints: ["give the issuer in its place, as its documentation names it"])
            }
            guard servers.count == 1 else {
                throw Problem(
                    .usage, "\(address) takes tokens of several issuers",
                    hints: servers.map { "flowrun provider discover \($0) --resource \(address)" })
            }
            context.note("\(address) takes tokens of \(server)")
            return try await ask(probe, server, for: resource)
        }
    }

    /// What is published at that address as by a resource.
    private func resource(
        _ probe: ProviderProbe, _ address: String
    ) async -> Result<ProtectedResource, ProbeFailure> {
        do throws(ProbeFailure) {
            let found = try await probe.asking(issuer: address).protectedResource(address)
            if !found.identifier.hasSameBytes(as: address) {
                context.note("\(address) calls itself \(found.identifier): tokens are asked for by that name")
            }
            return .success(found)
        } catch {
            return .failure(error)
        }
    }

    private func ask(
        _ probe: ProviderProbe, _ issuer: String, for resource: ProtectedResource
    ) async throws(Problem) -> Published {
        guard resource.authorizationServers.contains(where: { $0.hasSameBytes(as: issuer) }) else {
            throw Problem(
                .provider, "\(resource.identifier) does not take tokens of \(issuer)",
                hints: resource.authorizationServers.map { "it takes those of \($0)" })
        }
        do throws(ProbeFailure) {
            var published = try await ask(probe, issuer)
            published.resource = resource
            return published
        } catch {
            throw problem(error, issuer)
        }
    }

    private func ask(_ probe: ProviderProbe, _ issuer: String) async throws(ProbeFailure) -> Published {
        do throws(ProbeFailure) {
            return try await published(probe, issuer)
        } catch {
            // Providers differ in a slash at the end, and people do not type it.
            guard case .answer(.failed(Checks.metadataIssuer, _, let actual), _) = error,
                IssuerText.isSameButForSlash(actual, issuer)
            else { throw error }
            context.note("the provider writes its issuer as \(actual)")
            return try await published(probe, actual)
        }
    }

    private func published(_ probe: ProviderProbe, _ issuer: String) async throws(ProbeFailure) -> Published {
        let plans = Discovery.plans(issuer: issuer, metadataURL: request.metadataURL)
        let probe = probe.asking(issuer: issuer)
        let (metadata, url) = try await probe.metadata(issuer: issuer, plans: plans, acceptedIssuers: [])
        var keys: Result<JWKSet, ProbeFailure>?
        if let address = metadata.fields.jwksURI {
            do throws(ProbeFailure) {
                keys = .success(try await probe.keys(address))
            } catch {
                keys = .failure(error)
            }
        }
        return Published(issuer: issuer, url: url, metadata: metadata, keys: keys)
    }

    private func problem(_ failure: ProbeFailure, _ issuer: String) -> Problem {
        let place =
            switch failure {
            case .transport: "\(issuer): "
            // It names its address itself.
            case .answer: ""
            }
        return Problem(failure.status, place + failure.words, hints: failure.fix.map { [$0] } ?? [])
    }

    // MARK: Writing

    /// What is asked for, else that of the file, else one made of the host: a provider is found by its file.
    private func name(_ issuer: String) throws(Problem) -> String {
        let file = request.target.flatMap { $0 == "-" ? nil : DescriptorName.name(ofFile: $0) }
        if let file, let name = request.name, file != name {
            throw Problem(
                .usage, "the file would be called \"\(file)\" and the provider \"\(name)\"",
                hints: ["leave out --name, or write \(name).yaml"])
        }
        let name = request.name ?? file ?? IssuerText.name(of: issuer)
        guard DescriptorName.isWellFormed(name) else {
            throw Problem(
                .usage, "a provider cannot be named \"\(name)\"",
                hints: ["give \(file == nil ? "--name" : "a file") with lower-case letters, digits and -"])
        }
        return name
    }

    /// Before anybody is asked: what somebody has written by hand is not replaced.
    private func checkTarget() throws(Problem) {
        guard let target = request.target, target != "-",
            FileAccess.exists(FilePath.join(context.surroundings.directory, target))
        else { return }
        throw Problem(
            .usage, "\(target) exists already",
            hints: ["give another file, or look at what would be written: --write -"])
    }

    private func write(_ draft: DescriptorDraft, _ target: String) throws(Problem) {
        guard draft.fields.tokenEndpoint != nil || draft.fields.authorizationEndpoint != nil else {
            throw Problem(
                .provider, "the metadata names no endpoint at which anybody could sign in",
                hints: ["is \(draft.url) the metadata of a provider?"])
        }
        let text = draft.text
        let source = SourceFile(path: target == "-" ? "\(draft.name).yaml" : target, text: text)
        let diagnostics = ProviderReader.read(source).diagnostics
        guard !diagnostics.hasErrors else {
            throw Problem(
                .provider, "no provider file can be made of this metadata", diagnostics: diagnostics,
                sources: [source])
        }
        guard target != "-" else { return context.write(text) }
        do throws(FileProblem) {
            let path = FilePath.join(context.surroundings.directory, target)
            try PrivateFile.makeDirectory(FilePath.parent(of: path))
            try FileReplacement.create(path, text)
        } catch {
            throw Problem(error, .local)
        }
        let shown =
            context.library.entries(of: .provider).contains { $0.path == target } ? draft.name : target
        context.write("wrote \(target)\n")
        if shown == target {
            context.note("to use it by its name, put it into the folder providers of a project")
        }
        let client =
            if draft.fields.registrationEndpoint != nil {
                "flowrun register \(shown)\(connection) (or provider add, for a client that you have)"
            } else if draft.readsClientDocuments {
                "flowrun register \(shown) --document URL (or provider add, for a client that you have)"
            } else {
                "flowrun provider add \(shown)"
            }
        let commands = ["provider test", "login"].map { "flowrun \($0) \(shown)\(connection)" }
        context.note("next: \(client), \(commands.joined(separator: ", "))")
    }

    private var connection: String { SignInHint.connection(request.live) }

    // MARK: Showing

    private func text(_ published: Published) -> String {
        let fields = published.metadata.fields
        var rows: [(String, String)] = [("issuer", published.issuer), ("metadata", published.url)]
        if let resource = published.resource {
            rows.insert(("resource", resource.identifier), at: 0)
            if let scopes = resource.scopes {
                rows.insert(("its scopes", scopes.joined(separator: " ")), at: 1)
            }
        }
        for (name, path) in ServerMetadataFields.urls {
            if let url = fields[keyPath: path] { rows.append((name, url)) }
        }
        if let keys = published.keys { rows.append(("keys", KeyWords.text(keys))) }
        for (name, path) in ServerMetadataFields.lists {
            if let names = fields[keyPath: path] { rows.append((name, names.joined(separator: " "))) }
        }
        for (name, path) in ServerMetadataFields.flags {
            if let flag = fields[keyPath: path] { rows.append((name, flag ? "yes" : "no")) }
        }
        if published.metadata.document[ClientMetadataDocument.serverMember] == true {
            rows.append((ClientMetadataDocument.serverMember, "yes"))
        }
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            rows.map { [Styled(Self.label($0), .dim), Styled(RemoteText.sanitize($1, limit: 4_000))] },
            indent: 0)
        return page.take()
    }

    /// The member's name without the ending that all of its kind have.
    private static func label(_ name: String) -> String {
        for (ending, label) in [
            ("_endpoint", ""), ("_values_supported", ""), ("_supported", ""), ("_uri", ""),
        ]
        where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count)).replacing("_", with: " ") + label
        }
        return name.replacing("_", with: " ")
    }

    private func json(_ published: Published, _ draft: DescriptorDraft) -> String {
        var object: JSONObject = [
            "issuer": .string(published.issuer), "url": .string(published.url),
            "name": .string(draft.name), "metadata": .object(published.metadata.document),
        ]
        object["resource"] = published.resource.map { .string($0.identifier) }
        return object.serialize(pretty: true) + "\n"
    }
}

/// A provider's keys in one line.
enum KeyWords {
    static func text(_ keys: Result<JWKSet, ProbeFailure>) -> String {
        switch keys {
        case .success(let set): text(set)
        case .failure(let failure): "cannot be read: \(failure.words)"
        }
    }

    static func text(_ set: JWKSet) -> String {
        let names = SignatureAlgorithm.allCases.filter { algorithm in
            set.keys.contains { $0.mayVerify(algorithm) }
        }.map(\.rawValue)
        let skipped = set.unusable.isEmpty ? "" : ", \(set.unusable.count) that cannot be used"
        return "\(set.keys.count) usable (\(names.joined(separator: ", ")))\(skipped)"
    }
}
