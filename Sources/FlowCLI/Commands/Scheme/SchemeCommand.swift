internal import JOSE

/// Work on the schemes whose addresses the desktop hands to flowrun.
struct SchemeRequest: Sendable, Hashable {
    enum Work: Sendable, Hashable {
        case register(String, replaces: Bool)
        case unregister(String)
        case list(Command.Form)
    }

    let work: Work
}

/// `scheme register`, `scheme unregister` and `scheme list`.
struct SchemeCommand: Sendable {
    let context: CommandContext
    let request: SchemeRequest

    func run() throws(Problem) -> Int {
        let registry = try SchemeRegistry(context.surroundings)
        switch request.work {
        case .register(let text, let replaces):
            try register(try URLScheme(text), replaces: replaces, registry)
        case .unregister(let text):
            let scheme = try URLScheme(text)
            guard try registry.remove(scheme) else {
                throw Problem(
                    .usage, "the scheme \(scheme.name) is not registered to flowrun",
                    hints: ["see: flowrun scheme list"])
            }
            context.write("\(scheme.name) is not flowrun's any more\n")
        case .list(let form): list(try registry.schemes(), form)
        }
        return ExitStatus.ok.rawValue
    }

    private func register(
        _ scheme: URLScheme, replaces: Bool, _ registry: SchemeRegistry
    ) throws(Problem) {
        guard let program = context.surroundings.executable else {
            throw Problem(.local, "the path of this program cannot be known")
        }
        if let other = try registry.owner(of: scheme), other != scheme.desktopFile, !replaces {
            throw Problem(
                .local, "the scheme \(scheme.name) is opened by \(other)",
                hints: ["flowrun takes it over only with --replace"])
        }
        try registry.add(DesktopEntry(scheme: scheme, program: program))
        context.write(
            """
            \(scheme.name) is opened by \(program)
            wrote \(registry.path(of: scheme))
            wrote \(registry.defaultsPath)
            redirect URI to register with the provider: \(scheme.name):/oauthredirect

            """)
        guard !scheme.isOwnedByADomain else { return }
        context.note(
            """
            warning: \(scheme.name) is not the reverse of a domain, so another program may claim it too and receive \
            your sign-ins (RFC 8252 §7.1); take one like com.example.app
            """)
    }

    private func list(_ entries: [DesktopEntry], _ form: Command.Form) {
        switch form {
        case .json:
            let list = entries.map { entry -> JSONValue in
                ["scheme": .string(entry.scheme.name), "program": .string(entry.program)]
            }
            context.write(JSONValue.array(list).serialize() + "\n")
        case .text:
            if entries.isEmpty { context.write("no scheme is registered to flowrun\n") }
            for entry in entries { context.write("\(entry.scheme.name)  \(entry.program)\n") }
        }
    }
}
