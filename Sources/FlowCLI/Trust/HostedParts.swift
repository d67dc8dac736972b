internal import FlowLanguage

/// What a flow has done outside of the engine: programs and servers of its hooks, programs of its ports.
struct HostedParts: Sendable {
    let parts: [TrustSubject.Part]
    /// Absolute paths of the files that they start or name.
    let files: [String]
    /// Bare names of programs, which are looked up when they are started.
    let names: [String]

    /// - Parameter directory: Of the flow file.
    init(_ program: FlowProgram, directory: String, includesHooks: Bool) {
        var parts: [TrustSubject.Part] = []
        var files: [String] = []
        var names: [String] = []
        func add(_ owner: String, _ argv: [String], _ folder: String) {
            let place = folder.isEmpty ? "" : " in \(folder)"
            let part = TrustSubject.Part(owner: owner, action: ShellWords.quoted(argv) + place)
            if !parts.contains(part) { parts.append(part) }
            if let name = argv.first, !name.contains("/"), !names.contains(name) { names.append(name) }
            // An interpreter's script counts as much as a program.
            for path in argv {
                let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
                let absolute = FilePath.join(FlowFolder.join(directory, folder), plain)
                if FileAccess.isFile(absolute), !files.contains(absolute) { files.append(absolute) }
            }
        }
        for hook in program.hooks where includesHooks {
            switch hook.action {
            case .exec(let argv, _): add("hook \(hook.id)", argv, hook.folder)
            case .http(let endpoint):
                let part = TrustSubject.Part(owner: "hook \(hook.id)", action: "POST \(endpoint.url)")
                if !parts.contains(part) { parts.append(part) }
            case .set, .assert, .map, .emit, .native: break
            }
        }
        for port in program.ports {
            if let argv = port.program?.argv { add("port \(port.name)", argv, port.folder) }
        }
        self.parts = parts
        self.files = files
        self.names = names
    }
}
