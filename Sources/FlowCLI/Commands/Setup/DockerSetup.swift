internal import FlowLive
internal import JOSE

/// `setup docker`: a program that docker can find, and its name in docker's `config.json`.
struct DockerSetup: Sendable {
    let context: CommandContext
    let request: SetupRequest
    /// What provider and profile are called together.
    let session: String
    /// What the program runs for those registries, without the action.
    let command: @Sendable ([String]) throws(Problem) -> [String]

    private var surroundings: Surroundings { context.surroundings }
    /// Behind `docker-credential-`.
    private var name: String { "flowrun-\(session)" }

    private static let mark = "# Written by flowrun setup docker.\n"

    /// - Parameter hosts: All registries that docker asks it about, those of earlier times too.
    private func script(_ hosts: [String]) throws(Problem) -> String {
        "#!/bin/sh\n\(Self.mark)exec \(ShellWords.quoted(try command(hosts))) \"$@\"\n"
    }

    func run() throws(Problem) {
        let folder = try folder()
        let program = FilePath.join(folder, "docker-credential-\(name)")
        let file = try configuration()
        let (old, new, hosts) = try changed(file)
        let script = try script(hosts)
        guard !request.prints else {
            context.write("\(program):\n\(script)\n\(file):\n\(new)")
            return
        }
        try SetupFile(context: context, replaces: request.replaces)
            .write(script, to: program, permissions: 0o755) { $0.contains(Self.mark) }
        if old == new {
            context.note("\(file) is as it should be")
        } else {
            try write(new, to: file, isNew: old == nil)
            context.note("\(file): credHelpers names \(name) for \(request.hosts.joined(separator: ", "))")
        }
        let path = surroundings.variable("PATH")?.split(separator: ":").map(String.init) ?? []
        if !path.contains(folder) { context.note("docker looks for it in PATH: put \(folder) there") }
    }

    // MARK: Places

    private func folder() throws(Problem) -> String {
        if let directory = request.binDirectory { return FilePath.join(surroundings.directory, directory) }
        guard let home = surroundings.home else {
            throw .noPlace(for: "the program", surroundings, instead: "give --bin-dir DIR")
        }
        return FilePath.join(home, ".local/bin")
    }

    private func configuration() throws(Problem) -> String {
        if let folder = surroundings.variable("DOCKER_CONFIG") { return FilePath.join(folder, "config.json") }
        guard let home = surroundings.home else {
            throw .noPlace(for: "docker's configuration", surroundings, instead: "set DOCKER_CONFIG")
        }
        return FilePath.join(home, ".docker/config.json")
    }

    // MARK: config.json

    /// - Returns: The text of the file, `nil` where there is none, what it is to be, and the registries that it then
    ///   names this program for.
    private func changed(
        _ file: String
    ) throws(Problem) -> (old: String?, new: String, hosts: [String]) {
        guard FileAccess.status(file) != nil else {
            return (nil, try text(JSONObject(), file), request.hosts)
        }
        let bytes: [UInt8]
        do throws(FileProblem) {
            bytes = try FileAccess.read(file)
        } catch {
            throw Problem(error, .local)
        }
        // What is wrong with it may be beside a password.
        guard let object = (try? JSON.parse(bytes))?.objectValue else {
            throw Problem(.local, "\(file) is no JSON object, and is left as it is")
        }
        let old = String(decoding: bytes, as: UTF8.self)
        let isSaid = request.hosts.allSatisfy { object["credHelpers"]?[$0]?.stringValue == name }
        let known = object["credHelpers"]?.objectValue?.members.filter { $0.value.stringValue == name } ?? []
        let hosts = known.map(\.key) + request.hosts.filter { host in !known.contains { $0.key == host } }
        return (old, isSaid ? old : try text(object, file), hosts)
    }

    private func text(_ object: JSONObject, _ file: String) throws(Problem) -> String {
        var object = object
        var helpers = object["credHelpers"]?.objectValue ?? JSONObject()
        for host in request.hosts {
            if let other = helpers[host]?.stringValue, other != name, !request.replaces {
                throw Problem(
                    .local, "\(file) names another helper for \(host): \(other)",
                    hints: ["give --replace to take its place"])
            }
            helpers[host] = .string(name)
        }
        object["credHelpers"] = .object(helpers)
        return object.serialize(pretty: true) + "\n"
    }

    private func write(_ text: String, to file: String, isNew: Bool) throws(Problem) {
        do throws(FileProblem) {
            if isNew {
                try FileReplacement.replacePrivate(file, with: text)
            } else {
                try FileReplacement.replace(file, with: text)
            }
        } catch {
            throw Problem(error, .local)
        }
    }
}

/// A file that is wholly flowrun's.
struct SetupFile: Sendable {
    let context: CommandContext
    let replaces: Bool

    /// Makes the file, or puts the new text in the place of what flowrun wrote before.
    ///
    /// - Parameter isOwn: Whether flowrun has written a text.
    func write(
        _ text: String, to path: String, permissions: UInt32 = 0o600, isOwn: (String) -> Bool
    ) throws(Problem) {
        do throws(FileProblem) {
            guard FileAccess.status(path) != nil else {
                try PrivateFile.makeDirectory(FilePath.parent(of: path))
                try FileReplacement.create(path, text, permissions: permissions)
                return context.note("wrote \(path)")
            }
            let old = String(decoding: try FileAccess.read(path), as: UTF8.self)
            guard old != text else { return context.note("\(path) is as it should be") }
            guard isOwn(old) || replaces else {
                throw FileProblem(path, "is somebody else's, and is left as it is; --replace takes its place")
            }
            try FileReplacement.replace(path, with: text)
            context.note("wrote \(path) anew")
        } catch {
            throw Problem(error, .local)
        }
    }
}
