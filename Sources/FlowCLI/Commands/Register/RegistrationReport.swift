internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// What `register` tells of a client; never a secret.
struct RegistrationReport: Sendable {
    let context: CommandContext
    let form: Command.Form

    /// - Parameter connection: Options with which other commands reach the same server.
    func registered(
        _ client: NewRegistration, _ keeper: RegistrationKeeper, _ reserved: SecretFiles, connection: String
    ) {
        guard form == .text else { return context.write(json(client)) }
        var rows = [("client", client.clientID)]
        if let method = client.method { rows.append(("proves itself by", method.rawValue)) }
        if client.secret != nil { rows.append(("secret", "in \(reserved.secret)\(end(client))")) }
        rows.append(("wrote", keeper.file.path))
        if client.management != nil {
            rows.append(("to change it", "flowrun register \(keeper.word) --show, --update or --delete"))
        }
        rows.append(("next", "flowrun provider test \(keeper.word)\(connection)"))
        write(rows)
    }

    func shown(_ client: NewRegistration) {
        guard form == .text else { return context.write(json(client)) }
        var rows = [("client_id", client.clientID)]
        if client.secret != nil { rows.append(("client_secret", "there is one\(end(client))")) }
        if let management = client.management { rows.append(("registration_client_uri", management.uri)) }
        for (name, value) in client.metadata where !Self.own.contains(name) {
            rows.append((name, value.stringValue ?? value.serialize()))
        }
        write(rows)
    }

    func changed(_ client: NewRegistration, _ path: String) {
        guard form == .text else { return context.write(json(client)) }
        shown(client)
        context.note("wrote \(path)")
    }

    func deleted(_ clientID: String, _ path: String) {
        guard form == .text else {
            let object: JSONObject = ["client_id": .string(clientID), "deleted": true]
            return context.write(object.serialize() + "\n")
        }
        write([("deleted", clientID), ("wrote", path)])
    }

    /// Of a client that is known here no more, whatever the provider knows.
    func forgotten(_ clientID: String, _ path: String) {
        guard form == .text else {
            let object: JSONObject = [
                "client_id": .string(clientID), "deleted": false, "forgotten": true,
            ]
            return context.write(object.serialize() + "\n")
        }
        write([("forgot", clientID), ("wrote", path)])
    }

    private func end(_ client: NewRegistration) -> String {
        client.secretExpiresAt.map { ", until \(CalendarText.utc($0))" } ?? ""
    }

    /// Members that are told by themselves.
    private static let own = [
        "client_id", "client_secret_expires_at", "registration_client_uri", "client_id_issued_at",
    ]

    private func json(_ client: NewRegistration) -> String {
        var object: JSONObject = ["client_id": .string(client.clientID)]
        object["token_endpoint_auth_method"] = client.method.map { .string($0.rawValue) }
        object["client_secret_expires_at"] = client.secretExpiresAt.map { .int($0 / 1000) }
        object["registration_client_uri"] = client.management.map { .string($0.uri) }
        object["metadata"] = .object(client.metadata)
        return object.serialize() + "\n"
    }

    private func write(_ rows: [(String, String)]) {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows {
            page.unwrapped(Styled("\(name.padded(to: width))  \(RemoteText.sanitize(value, limit: 4_000))"))
        }
        context.write(page.take())
    }
}
