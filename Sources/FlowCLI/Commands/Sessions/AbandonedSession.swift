internal import FlowEngine
internal import FlowLive
internal import FlowReport
internal import JOSE

/// `logout PROVIDER` where there is no provider of that name any more: nobody can be asked to revoke anything, but what is
/// stored here can still be forgotten.
struct AbandonedSession: Sendable {
    let context: CommandContext
    let request: RunRequest

    /// Deletes what is stored under the name of the provider, and the profile of the command.
    ///
    /// - Returns: The status; `nil` where there is such a provider, or nothing is stored under its name.
    func forget() async throws(Problem) -> Int? {
        guard request.isLogout, request.rehearsal == nil, request.live.store != .none,
            request.providers.count == 1, let name = request.providers.first?.name,
            (try? context.library.path(.provider, name)) == nil,
            let sessions = try StoredSessions.open(context.surroundings, request.live.store)
        else { return nil }
        let rows = try await sessions.rows().filter { row in
            guard case .success(let session) = row.content else { return false }
            return session.label.provider == name && session.label.profile == request.profile
        }
        guard !rows.isEmpty else { return nil }
        do throws(StoreError) {
            for row in rows { try await sessions.store.delete(key: row.key) }
        } catch {
            throw Problem(error)
        }
        TokenFile.delete(of: name, request.profile, context)
        return tell(name)
    }

    private func tell(_ name: String) -> Int {
        let isOwed = request.inputs.contains { $0.name == "revoke" && $0.text == "true" }
        let status = isOwed ? ExitStatus.provider : .ok
        let message =
            "there is no provider \"\(name)\" any more: its session was deleted here, nothing was revoked"
        switch request.form {
        case .json:
            let object: JSONObject = [
                "flow": .string(request.flow), "provider": .string(name), "result": "success",
                "message": .string(message), "outputs": ["revoked": false, "signed_out": false],
                "exit": [
                    "code": .int(Int64(status.rawValue)), "name": .string(ExitName.of(status.rawValue)),
                ],
            ]
            context.write(object.serialize() + "\n")
        case .text: context.write("revoked: false\nsigned_out: false\n")
        }
        context.note(message)
        return status.rawValue
    }
}

extension RunRequest {
    /// Whether it is the command of every day that signs out.
    fileprivate var isLogout: Bool { forgetsSession && flow == "logout" }
}
