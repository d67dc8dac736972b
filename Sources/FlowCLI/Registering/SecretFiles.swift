internal import OAuthProtocol

/// Files for what a provider tells a client once: its secret, and what lets it change its registration.
///
/// They are made before anything is asked for, so that a folder that is full or closed is known first.
struct SecretFiles: Sendable {
    /// Of the client secret.
    let secret: String
    /// Of the registration access token.
    let token: String

    /// The folder of secrets that flowrun keeps itself.
    static func folder(_ surroundings: Surroundings) -> String? {
        UserDirectories(surroundings).configuration.map { FilePath.join($0, "secrets") }
    }

    /// Makes two empty files that only this user can read, under names that nothing has yet.
    static func reserve(_ provider: String, _ surroundings: Surroundings) throws(Problem) -> SecretFiles {
        guard let folder = folder(surroundings) else {
            throw .noPlace(for: "secrets", surroundings, instead: "set XDG_CONFIG_HOME")
        }
        do throws(FileProblem) {
            try PrivateFile.makeDirectory(folder)
            for number in 1...1000 {
                let name = FilePath.join(folder, number == 1 ? provider : "\(provider)-\(number)")
                let files = SecretFiles(secret: name, token: name + ".registration")
                guard try PrivateFile.make(files.secret) else { continue }
                if try PrivateFile.make(files.token) { return files }
                try PrivateFile.remove(files.secret)
            }
        } catch {
            throw Problem(error, .local)
        }
        throw Problem(.local, "\(folder) holds too many secrets of \(provider)", hints: ["tidy it up"])
    }

    /// Puts a secret into its file, whole or not at all.
    static func write(_ value: Secret, to path: String) throws(FileProblem) {
        try FileReplacement.replace(path, with: value.reveal() + "\n")
    }

    /// Takes away the files that were not needed.
    func release() {
        // An empty file that stays behind does no harm.
        try? PrivateFile.remove(secret)
        try? PrivateFile.remove(token)
    }
}
