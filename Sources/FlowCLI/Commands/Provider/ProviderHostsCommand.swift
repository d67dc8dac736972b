internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// `provider hosts`: whom a firewall must let through, and who goes there.
struct ProviderHostsCommand: Sendable {
    let context: CommandContext
    let request: ProviderHostsRequest

    func run() throws(Problem) -> Int {
        let survey = try ProviderSurvey(request.provider, request.client, context, isRehearsal: true)
        let bound = try survey.bound()
        let cached = CachedMetadata(context.surroundings).fields(of: bound.bound)
        let hosts = ProviderHosts(bound, cached)
        switch request.form {
        case .json: context.write(json(hosts))
        case .text: context.write(text(hosts))
        }
        note(survey, bound, hasMetadata: cached != nil)
        return ExitStatus.ok.rawValue
    }

    private func text(_ hosts: ProviderHosts) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            hosts.rows.map { row in
                [Styled("\(row.host):\(row.port)"), Styled(row.purposes.joined(separator: ", "), .dim)]
            }, indent: 0)
        return page.take()
    }

    private func json(_ hosts: ProviderHosts) -> String {
        let items = hosts.rows.map { row -> JSONValue in
            [
                "host": .string(row.host), "port": .int(Int64(row.port)),
                "purposes": .array(row.purposes.map { .string($0) }),
            ]
        }
        return JSONValue.array(items).serialize(pretty: true) + "\n"
    }

    private func note(_ survey: ProviderSurvey, _ provider: BoundProvider, hasMetadata: Bool) {
        let given = Set(survey.found.variables.map(\.name) + survey.found.secretVariables.map(\.name))
        let examples = survey.descriptor.variables.filter {
            $0.standard == nil && $0.example != nil && !given.contains($0.name)
        }
        if !examples.isEmpty {
            let values = examples.map { "\($0.name)=\($0.example ?? "")" }.joined(separator: ", ")
            context.note("with example values: \(values); give your own with --set NAME=VALUE")
        }
        if survey.descriptor.discovery != .off, !hasMetadata, !provider.discoveryPlans.isEmpty {
            context.note(
                "its metadata may name further hosts and is not cached; fetch it: flowrun provider test "
                    + request.provider)
        }
    }
}

/// The hosts of a provider with what each is for, in the order of a sign-in.
struct ProviderHosts: Sendable {
    struct Row: Sendable, Hashable {
        let host: String
        let port: Int
        var purposes: [String]
        /// Whether flowrun itself goes there, and by https.
        var isAskedByProgram = false
    }

    private(set) var rows: [Row] = []

    /// - Parameter metadata: The provider's own, where a copy is at hand.
    init(_ provider: BoundProvider, _ metadata: ServerMetadataFields?) {
        if provider.descriptor.discovery != .off {
            for plan in provider.discoveryPlans { add(plan.endpoint, "metadata") }
        }
        let fields = metadata?.overlaid(by: provider.declared) ?? provider.declared
        for (name, path) in ServerMetadataFields.urls {
            if let url = fields[keyPath: path] { add(url, Self.purpose(name)) }
        }
        // Whatever else flows may call: endpoints of operations, resources, origins.
        for origin in provider.origins(KnownMetadata(fields)).sorted() where !isKnown(origin) {
            add(origin, "further calls")
        }
    }

    /// `browser` is where the person goes; all else is asked by flowrun.
    private static func purpose(_ name: String) -> String {
        switch name {
        case "authorization_endpoint": "browser"
        case "end_session_endpoint": "browser (logout)"
        case "jwks_uri": "keys"
        default: name.replacing("_endpoint", with: "").replacing("_", with: " ")
        }
    }

    private mutating func add(_ url: String, _ purpose: String) {
        // What is no URL was refused when the descriptor was bound.
        guard let endpoint = try? EndpointURL(url, allowLoopbackHTTP: true) else { return }
        let isAsked = endpoint.scheme == "https" && !purpose.hasPrefix("browser")
        guard let index = rows.firstIndex(where: { $0.host == endpoint.host && $0.port == endpoint.port })
        else {
            return rows.append(
                Row(
                    host: endpoint.host, port: endpoint.port, purposes: [purpose], isAskedByProgram: isAsked))
        }
        if isAsked { rows[index].isAskedByProgram = true }
        if !rows[index].purposes.contains(purpose) { rows[index].purposes.append(purpose) }
    }

    private func isKnown(_ origin: String) -> Bool {
        // As above.
        guard let endpoint = try? EndpointURL(origin, allowLoopbackHTTP: true) else { return true }
        return rows.contains { $0.host == endpoint.host && $0.port == endpoint.port }
    }
}
