internal import FlowEngine
internal import FlowLive

/// A run of an earlier process as the command that began it.
struct BegunRun: Sendable {
    var request: RunRequest
    let surroundings: Surroundings
    let snapshot: LibrarySnapshot
    private let common: CommonOptions

    /// - Returns: `nil` for a run that no command has begun, or none of this version.
    init?(_ resumable: ResumableRun, _ surroundings: Surroundings) {
        guard let origin = RunOrigin(resumable.recorded.origin),
            // A command line that was read once is read again.
            let read = try? Command.read(origin.arguments, isRevealAllowed: true),
            case .run(let request) = read.command
        else { return nil }
        common = read.common
        self.request = request
        self.surroundings = surroundings.with(directory: origin.directory)
        snapshot = origin.snapshot
    }

    /// Options of the command that goes on with the run, with the places where it was told to look for files.
    func common(_ options: CommonOptions) -> CommonOptions {
        var options = options
        options.providersDirectory = options.providersDirectory ?? common.providersDirectory
        options.project = common.project
        return options
    }

    /// Goes on with runs that were interrupted while they renewed a session, unseen and without asking anybody.
    static func recovery(
        _ surroundings: Surroundings, _ common: CommonOptions
    ) -> @Sendable (ResumableRun, SessionKey) async -> Void {
        { resumable, session in
            guard var begun = BegunRun(resumable, surroundings) else { return }
            begun.request.live.mayAsk = false
            begun.request.live.addressPlaces.opensBrowser = false
            begun.request.trace = nil
            var common = common
            common.verbosity = 0
            let context = CommandContext(begun.surroundings, common, snapshot: begun.snapshot)
            // What becomes of it is in the store: the renewed session, or the doubt about it.
            try? await RunCommand(context: context, request: begun.request).recover(resumable, session)
        }
    }
}
