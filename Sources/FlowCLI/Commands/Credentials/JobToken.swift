internal import OAuthProtocol
internal import YAMLText

/// A token for the later steps of a job, in the words of the program that runs it.
///
/// - SeeAlso: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
struct JobToken: Sendable {
    let context: CommandContext
    let request: CredentialRequest

    func answer() async throws(Problem) {
        let variable = Self.variable(request.reach)
        guard let file = context.surroundings.variable(variable) else {
            throw Problem(
                .usage, "\(variable) is not set: this is for a step of a job, whose runner sets it",
                hints: ["for other programs: flowrun token"])
        }
        let path = FilePath.join(context.surroundings.directory, file)
        let access = try SessionAccess(context, request.session)
        let token = try await HelperToken.get(request.token, access, for: "a job").secret.reveal()
        // First of all: from then on the runner shows the token in no line of the log.
        context.write("::add-mask::\(GitHubDiagnosticRenderer.data(token))\n")
        do throws(FileProblem) {
            try FileReplacement.addLine("\(request.name)=\(token)", to: path)
        } catch {
            throw Problem(error, .local)
        }
    }

    private static func variable(_ reach: CredentialRequest.Reach) -> String {
        switch reach {
        case .output: "GITHUB_OUTPUT"
        case .env: "GITHUB_ENV"
        }
    }
}
