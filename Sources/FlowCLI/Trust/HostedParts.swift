internal import FlowLanguage
internal import YAMLText
internal import JOSE

/// What a flow has done outside of the engine: programs and servers of its hooks, programs of its ports.
struct HostedParts: Sendable {
    struct Part: Sendable, Hashable {
        /// As `hook audit` or `port lookup`.
        let owner: String
        /// The command line or the URL.
        let action: String
    }

    let parts: [Part]
    /// Absolute paths of the files that they start or name.
    let files: [String]

    /// - Parameter directory: Of the flow file.
    init(_ program: FlowProgram, directory: String, includesHooks: Bool = true) {
        var parts: [Part] = []
        var files: [String] = []
        func add(_ owner: String, _ argv: [String], _ folder: String) {
            let place = folder.isEmpty ? "" : " in \(folder)"
            let part = Part(owner: owner, action: argv.joined(separator: " ") + place)
            if !parts.contains(part) { parts.append(part) }
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
                let part = Part(owner: "hook \(hook.id)", action: "POST \(endpoint.url)")
                if !parts.contains(part) { parts.append(part) }
            case .set, .assert, .map, .emit, .native: break
            }
        }
        for port in program.ports {
            if let argv = port.program?.argv { add("port \(port.name)", argv, port.folder) }
        }
        self.parts = parts
        self.files = files
    }

    var isEmpty: Bool { parts.isEmpty }
}

/// The files behind what a flow runs, by their content.
struct FlowFingerprint: Sendable, Hashable {
    /// SHA-256 in hexadecimal digits by absolute path: the flow, what it imports, its programs.
    let files: [String: String]

    init(files: [String: String]) {
        self.files = files
    }

    /// - Throws: When one of the files cannot be read.
    init(_ flow: LoadedFlow, _ parts: HostedParts, directory: String) throws(FileProblem) {
        var files: [String: String] = [:]
        for source in [flow.source] + flow.others {
            let digest = Digest.sha256(Array(source.text.utf8))
            files[FilePath.join(directory, source.path)] = Hexadecimal.encode(digest)
        }
        for path in parts.files {
            files[path] = Hexadecimal.encode(Digest.sha256(try FileAccess.read(path, limit: 64 << 20)))
        }
        self.files = files
    }

    /// Files that are not what they were, the new ones included.
    func changes(since known: FlowFingerprint) -> [String] {
        files.keys.sorted().filter { files[$0] != known.files[$0] }
    }
}
