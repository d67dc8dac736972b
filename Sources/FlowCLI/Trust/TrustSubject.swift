internal import FlowLanguage
internal import JOSE
internal import YAMLText

/// A file of which something is done only when somebody has agreed to it.
struct TrustSubject: Sendable {
    /// What a person must know before they agree.
    struct Part: Sendable, Hashable {
        /// As `hook audit`, `port lookup` or `client secret of acme`.
        let owner: String
        /// The command line, the URL, or where a secret lies or goes.
        let action: String
    }

    /// As shown.
    let path: String
    /// What the file does that needs somebody's word, as `runs programs`.
    let claim: String
    let parts: [Part]
    /// Changing any of these takes the word back.
    let fingerprint: Fingerprint
}

/// What must stay as it was for a file to stay trusted.
struct Fingerprint: Sendable, Hashable {
    /// SHA-256 in hexadecimal digits by absolute path.
    var files: [String: String] = [:]
    /// The same of what a part says, by its owner, where the rest of the file is free to change.
    var facts: [String: String] = [:]

    /// What is not as it was, the new included.
    func changes(since known: Fingerprint) -> [String] {
        files.keys.sorted().filter { files[$0] != known.files[$0] }
            + facts.keys.sorted().filter { facts[$0] != known.facts[$0] }
    }

    mutating func add(_ sources: [SourceFile], in directory: String) {
        for source in sources {
            files[Self.name(FilePath.join(directory, source.path))] = Self.digest(Array(source.text.utf8))
        }
    }

    /// - Throws: When one of the files cannot be read.
    mutating func add(files paths: [String]) throws(Problem) {
        for path in paths {
            do throws(FileProblem) {
                files[Self.name(path)] = Self.digest(try FileAccess.read(path, limit: 64 << 20))
            } catch {
                throw Problem(error)
            }
        }
    }

    mutating func add(_ parts: [TrustSubject.Part]) {
        for part in parts { facts[part.owner] = Self.digest(Array(part.action.utf8)) }
    }

    /// Files that are gone or are not what they were.
    var changedFiles: [String] {
        files.keys.sorted().filter { path in
            guard let bytes = try? FileAccess.read(path, limit: 64 << 20) else { return true }
            return Self.digest(bytes) != files[path]
        }
    }

    /// One name for a file, however somebody came to it.
    private static func name(_ path: String) -> String { FileAccess.resolved(path) ?? path }

    private static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.encode(Digest.sha256(bytes)) }
}

// MARK: Flows

extension TrustSubject {
    /// A flow with its programs, which may be replaced as the flow may.
    init(_ flow: LoadedFlow, _ surroundings: Surroundings, includesHooks: Bool = true) throws(Problem) {
        let directory = FilePath.parent(of: FilePath.join(surroundings.directory, flow.source.path))
        let hosted = HostedParts(flow.program, directory: directory, includesHooks: includesHooks)
        var fingerprint = Fingerprint()
        fingerprint.add([flow.source] + flow.others, in: surroundings.directory)
        try fingerprint.add(files: hosted.files)
        try fingerprint.add(programs: hosted.names, surroundings)
        self.init(
            path: flow.source.path, claim: "runs programs", parts: hosted.parts, fingerprint: fingerprint)
    }
}

// MARK: Providers

extension TrustSubject {
    /// A provider file; no more than where it has secrets sent counts, unless that is not known without its text.
    ///
    /// - Parameter destinations: Those that need somebody's word.
    init(_ provider: LoadedProvider, destinations: Set<String>, _ surroundings: Surroundings) {
        let parts = destinations.sorted().map {
            Part(owner: "provider \(provider.descriptor.id)", action: "sends secrets and tokens to \($0)")
        }
        var fingerprint = Fingerprint()
        if destinations.contains(BoundDescriptor.anywhere) {
            fingerprint.add(provider.sources, in: surroundings.directory)
        }
        fingerprint.add([
            Part(owner: "where it sends secrets", action: destinations.sorted().joined(separator: " "))
        ])
        self.init(
            path: provider.source.path, claim: "sends secrets to places of its own", parts: parts,
            fingerprint: fingerprint)
    }
}
