internal import OAuthProtocol

/// A request to a resource with the session's token.
struct HTTPCallRequest: Sendable {
    /// Where a body comes from.
    enum BodyPlace: Sendable, Hashable {
        case text(String)
        case file(String)
        case standardInput
    }

    var method: HTTPMethod
    var url: String
    var fields: [HTTPField]
    var body: BodyPlace?
    var isJSON = false
    var showsFields = false
    /// `nil` for standard output.
    var target: String?
    /// Whose token it is.
    var session: RunRequest
    /// Servers that may have the token besides those that the provider names.
    var allowedHosts: [String] = []
    /// What the token is asked for.
    var resources: [String] = []

    static let methods = HTTPMethod.all.map(\.rawValue).joined(separator: ", ")
}

extension HTTPMethod {
    static let all: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
}

/// What another program asks of flowrun.
struct CredentialRequest: Sendable {
    enum Helper: String, Sendable, Hashable, CaseIterable {
        case kubectl, git, docker, netrc
        case awsFile = "aws-file"
        case githubActions = "github-actions"
    }

    enum Action: String, Sendable, Hashable {
        case get, store, erase, list, version, capability
    }

    enum Token: String, Sendable, Hashable {
        case access, id
    }

    /// Who gets a token of a job: steps that name the output of this one, or every later step in its environment.
    enum Reach: String, Sendable, Hashable, CaseIterable {
        case output, env
    }

    var helper: Helper
    var action: Action
    var token: Token
    /// As typed; empty for those of the provider.
    var hosts: [String]
    var user: String?
    var file: String?
    /// Of a job's token: its name, and who gets it.
    var name = "token"
    var reach = Reach.output
    /// Whether a person may be sent to the provider when the other program allows it.
    var mayAsk: Bool
    var session: RunRequest
}

extension CredentialRequest.Helper {
    var actions: [CredentialRequest.Action] {
        switch self {
        case .git: [.get, .store, .erase, .capability]
        case .docker: [.get, .store, .erase, .list, .version]
        case .kubectl, .netrc, .awsFile, .githubActions: [.get]
        }
    }

    /// As the help writes them.
    var arguments: String { "[\(actions.map(\.rawValue).joined(separator: "|"))]" }

    /// What the other program sends to its server.
    var standardToken: CredentialRequest.Token {
        switch self {
        // Both are servers that read the claims of an OpenID token.
        case .kubectl, .awsFile: .id
        case .git, .docker, .netrc, .githubActions: .access
        }
    }

    var summary: String {
        switch self {
        case .kubectl: "a token as kubectl takes it from a plug-in"
        case .git: "a token as git takes it from a credential helper"
        case .docker: "a token as docker takes it from a credential helper"
        case .netrc: "a token as curl and others take it from a netrc file"
        case .awsFile: "a token in a file, as AWS_WEB_IDENTITY_TOKEN_FILE names it"
        case .githubActions: "a token for the later steps of a job of GitHub Actions"
        }
    }

    var notes: String {
        let quiet = "Asks nobody; status 4: somebody has to sign in."
        switch self {
        case .kubectl:
            return """
                Answers KUBERNETES_EXEC_INFO with an ExecCredential of the same version (v1, v1beta1). \(quiet) \
                flowrun setup kubectl writes the configuration.
                """
        case .git:
            return """
                Reads and writes the lines of git's protocol: a bearer token where git and server take one, else user \
                name and password. Says nothing to hosts that are not its own. erase renews the access token with the \
                next question and keeps the session. \(quiet) flowrun setup git writes the configuration.
                """
        case .docker:
            return """
                Reads and writes the JSON of docker's protocol. erase renews the access token with the next question \
                and keeps the session. \(quiet) flowrun setup docker writes the configuration.
                """
        case .netrc:
            return """
                Shows a line for each host, or writes them to a file for you alone, which must not be another's. \
                \(quiet) For curl: curl --netrc-file FILE URL
                """
        case .awsFile:
            return """
                Writes the token alone to a file for you alone and shows its path; the next call replaces it. flowrun \
                logout and flowrun revoke delete it; one that --file names is left to whoever named it. \(quiet) \
                Then: AWS_WEB_IDENTITY_TOKEN_FILE=$(flowrun credential aws-file) AWS_ROLE_ARN=... aws ...
                """
        case .githubActions:
            return """
                Has the runner mask the token in the log, then adds it to the file of GITHUB_OUTPUT, from which a step \
                takes it as ${{ steps.ID.outputs.token }}, or to that of GITHUB_ENV, as a variable of every later step. \
                \(quiet)
                """
        }
    }

    var fileHelp: String {
        switch self {
        case .awsFile: "the file (default: $XDG_STATE_HOME/flowrun/credentials/PROVIDER[.PROFILE])"
        case .kubectl, .git, .docker, .netrc, .githubActions: "write to FILE"
        }
    }
}

/// What another program's configuration is to say.
struct SetupRequest: Sendable {
    enum Program: String, Sendable, Hashable {
        case git, docker, kubectl
    }

    var program: Program
    var provider: String
    /// Options that find the session, as they are typed.
    var session: [String]
    var client: ClientOptions
    var hosts: [String]
    var user: String?
    var token: CredentialRequest.Token?
    var mayAsk: Bool
    /// Of the kubeconfig.
    var file: String?
    /// Of kubectl's protocol.
    var execVersion: String
    var binDirectory: String?
    var replaces: Bool
    var prints: Bool
}
