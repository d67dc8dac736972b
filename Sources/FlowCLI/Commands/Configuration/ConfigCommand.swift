internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

struct ConfigRequest: Sendable, Hashable {
    enum Work: Sendable, Hashable {
        case path
        case explain(key: String)
        case get(key: String)
        case set(key: String, value: String, isForUser: Bool)
    }

    var work: Work
    var form = Command.Form.text
}

/// `config …`: where flowrun is told what, and one value of it.
struct ConfigCommand: Sendable {
    let context: CommandContext
    let request: ConfigRequest

    func run() throws(Problem) -> Int {
        switch request.work {
        case .path: write(places)
        case .explain(let key): try write(ConfigLayers(context: context).layers(of: key))
        case .get(let key): try get(key)
        case .set(let key, let value, let isForUser): try set(key, value, isForUser: isForUser)
        }
        return ExitStatus.ok.rawValue
    }

    // MARK: Places

    private struct Place {
        let name: String
        let path: String?
    }

    private var places: [Place] {
        let surroundings = context.surroundings
        let directories = UserDirectories(surroundings)
        let library = context.library
        var places = [
            Place(name: "project", path: library.project.map { FilePath.join($0, "flowrun.yaml") }),
            Place(name: "user", path: library.userDirectory.map { FilePath.join($0, "flowrun.yaml") }),
        ]
        for kind in [LibraryKind.flow, .provider] {
            places += library.places(of: kind).map {
                Place(name: "\(kind.folder) (\($0.origin.rawValue))", path: $0.directory)
            }
        }
        places += [
            Place(name: "secrets", path: SecretFiles.folder(surroundings)),
            Place(name: "sessions", path: directories.data.map { FilePath.join($0, "store") }),
            Place(name: "state", path: directories.state), Place(name: "cache", path: directories.cache),
            Place(name: "program", path: surroundings.executable),
        ]
        return places
    }

    private func write(_ places: [Place]) {
        let found = places.map { place in place.path.map { FileAccess.status($0) != nil } ?? false }
        if request.form == .json {
            let rows = zip(places, found).map { place, isThere -> JSONValue in
                [
                    "name": .string(place.name), "path": place.path.map { .string($0) } ?? .null,
                    "exists": .bool(isThere),
                ]
            }
            return context.write(JSONValue.array(rows).serialize(pretty: true) + "\n")
        }
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            zip(places, found).map { place, isThere in
                [
                    Styled(place.name), Styled(place.path ?? "none"),
                    Styled(isThere || place.path == nil ? "" : "not there", .dim),
                ]
            }, indent: 0)
        context.write(page.take())
    }

    // MARK: Layers

    private func write(_ layers: [ConfigLayer]) {
        let winner = layers.firstIndex { $0.value != nil }
        if request.form == .json {
            let rows = layers.enumerated().map { index, layer -> JSONValue in
                var row: JSONObject = ["place": .string(layer.place), "wins": .bool(index == winner)]
                row["value"] = layer.value.map { .string($0) }
                return .object(row)
            }
            return context.write(JSONValue.array(rows).serialize(pretty: true) + "\n")
        }
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        page.table(
            layers.enumerated().map { index, layer in
                let sign = index == winner ? Styled(Symbol.passed, .good) : Styled(" ")
                let value = layer.value.map { RemoteText.sanitize($0) }
                return [sign, Styled(layer.place), value.map { Styled($0) } ?? Styled(layer.absence, .dim)]
            }, indent: 0)
        context.write(page.take())
    }

    // MARK: One value

    private func get(_ text: String) throws(Problem) {
        let key = try RegistrationKey(text)
        guard !key.isSecret else {
            throw Problem(
                .usage, "\(key.name) is a secret", hints: ["where it is: flowrun config explain \(text)"])
        }
        let layers = try ConfigLayers(context: context).layers(of: text)
        guard let value = layers.lazy.compactMap(\.value).first else {
            throw Problem(.config, "nothing says \(text)", hints: ["flowrun config set \(text) VALUE"])
        }
        context.write(value + "\n")
    }

    private func set(_ text: String, _ value: String, isForUser: Bool) throws(Problem) {
        let key = try RegistrationKey(text)
        let files = try context.registrations()
        let descriptor = try context.library.provider(key.provider).descriptor
        let entry = files.registration(of: descriptor.id)
        let file = try RegistrationFile(entry, isForUser: isForUser, context)
        let draft = try key.draft(value, descriptor)
        if entry?.file == file.path { try entry?.checkManagement(by: draft.clientID) }
        try file.write(draft)
        context.note("\(file.path): \(key.provider) has \(key.name) \(value)")
    }
}
