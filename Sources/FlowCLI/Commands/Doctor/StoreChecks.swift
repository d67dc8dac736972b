internal import FlowLive
internal import OAuthProtocol

/// The store of sessions, the keyring, and who is at work on sessions right now.
struct StoreChecks: Sendable {
    let surroundings: Surroundings
    let store: StoreChoice

    /// A keyring that is open answers at once; one that is not waits for a person.
    private static let patience = 5_000

    func findings() async -> [Finding] {
        var findings = [await sessions()]
        findings.append(await keyring())
        findings += locks()
        return findings
    }

    private func sessions() async -> Finding {
        do throws(Problem) {
            guard let sessions = try StoredSessions.open(surroundings, store, mayAsk: false) else {
                return .ok("store", "no session was ever stored")
            }
            let rows = try await sessions.rows()
            let unreadable = rows.count { if case .failure = $0.content { true } else { false } }
            let method = await sessions.store.method.words
            guard unreadable == 0 else {
                return .bad(
                    "store", "\(unreadable) of \(rows.count) sessions cannot be read",
                    fix: "flowrun store check, then sign in again")
            }
            let count = rows.count == 1 ? "1 session" : "\(rows.count) sessions"
            if let obstacle = await sessions.store.obstacleToSaving {
                return .warning("store", "\(count); \(obstacle.words)", fix: "let this user write there")
            }
            return .ok("store", "\(count), sealed by \(method)")
        } catch {
            return .bad("store", error.message, fix: error.fix ?? "flowrun explain store_failed")
        }
    }

    private func keyring() async -> Finding {
        guard StoreSetup(surroundings: surroundings, mayAsk: false).hasKeyring else {
            return .ok("keyring", "no desktop bus here: new stores are sealed by a key file")
        }
        switch await KeyringProbe.ask(withinMilliseconds: Self.patience) {
        case .answers: return .ok("keyring", "the keyring answers")
        case .silent:
            return .warning("keyring", "the keyring does not answer", fix: "unlock it, or use --store file")
        case .failed(.noLibrary(let reason)):
            return .warning(
                "keyring", "libsecret cannot be used: \(reason)",
                fix: "apt install libsecret-1-0, or use --store file")
        case .failed(.unavailable(let reason)):
            return .warning(
                "keyring", "the keyring cannot be asked: \(reason)",
                fix: "start a keyring service such as gnome-keyring, or use --store file")
        }
    }

    private func locks() -> [Finding] {
        guard let state = UserDirectories(surroundings).state else { return [] }
        let held = LockSurvey.held(in: FilePath.join(state, "locks"))
        guard !held.isEmpty else { return [.ok("locks", "nobody signs in or renews a session right now")] }
        return held.map { lock in
            let who = lock.process.map { "process \($0)" } ?? "an unknown process"
            let age = lock.ageMilliseconds.map { ", for \($0 / 1_000) s" } ?? ""
            // A refresh ends within a minute, whatever the network does; a person may take longer.
            let isOld = (lock.ageMilliseconds ?? 0) > 60_000
            let what = "\(who) signs in or renews a session\(age)"
            return isOld
                ? .warning("locks", what, fix: "look at it: ps -p \(lock.process.map(String.init) ?? "PID")")
                : .ok("locks", what)
        }
    }
}
