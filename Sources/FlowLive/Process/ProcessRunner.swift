import Glibc

/// A program to run to its end.
package struct ProcessRequest: Sendable {
    /// Absolute path of the program and its arguments.
    package var arguments: [String]
    /// Exactly the child's environment.
    package var environment: [(String, String)]
    /// `nil` keeps ours.
    package var directory: String?
    package var input: [UInt8]
    package var timeoutMilliseconds: Int
    /// How long the group may go on after SIGTERM before SIGKILL.
    package var graceMilliseconds: Int
    /// Bytes kept of each output; more are read and dropped.
    package var maxOutputBytes: Int
    /// Whether the program is ended once it has written more than that.
    package var endsAtOutputLimit = false
    /// A descriptor of ours that takes the child's errors as they come; `nil` collects them.
    package var errorDescriptor: Int32?

    package init(
        arguments: [String], environment: [(String, String)] = [], directory: String? = nil,
        input: [UInt8] = [], timeoutMilliseconds: Int = 10_000, graceMilliseconds: Int = 500,
        maxOutputBytes: Int = 1 << 20, errorDescriptor: Int32? = nil
    ) {
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.timeoutMilliseconds = timeoutMilliseconds
        self.graceMilliseconds = graceMilliseconds
        self.maxOutputBytes = maxOutputBytes
        self.errorDescriptor = errorDescriptor
    }
}

/// What a program did.
package struct ProcessResult: Sendable, Hashable {
    /// Why the group was ended from our side.
    package enum Interruption: Sendable, Hashable { case timeout, cancelled, output }

    /// The bytes kept of one output.
    package struct Output: Sendable, Hashable {
        package var bytes: [UInt8] = []
        package var isTruncated = false
    }

    package let end: ProcessEnd
    package let interruption: Interruption?
    package let output: Output
    package let errors: Output
}

/// Runs programs: no shell, a process group of their own, bounded in time and output.
package enum ProcessRunner {
    /// Runs a program to its end; then ends whatever is left of its group.
    ///
    /// The waiting is done by threads of its own. Cancelling the task ends the group as the timeout does.
    ///
    /// - Throws: `SpawnFailure` when the program was not started at all.
    package static func run(_ request: ProcessRequest) async throws(SpawnFailure) -> ProcessResult {
        let cancellation = WaitCancellation()
        let result: Result<ProcessResult, SpawnFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let started = WorkerThread.start {
                    continuation.resume(returning: runBlocking(request, cancellation))
                }
                if !started { continuation.resume(returning: .failure(noResources(request))) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    /// The same on the thread of the caller, which waits: for commands that have nothing else to do.
    ///
    /// - Parameter cancellation: What another thread ends the group by.
    package static func runAndWait(
        _ request: ProcessRequest, _ cancellation: WaitCancellation = WaitCancellation()
    ) throws(SpawnFailure) -> ProcessResult {
        try runBlocking(request, cancellation).get()
    }

    private static func runBlocking(
        _ request: ProcessRequest, _ cancellation: WaitCancellation
    ) -> Result<ProcessResult, SpawnFailure> {
        guard let watch = ProcessWatch(request, cancelled: cancellation.reading) else {
            return .failure(noResources(request))
        }
        do {
            return .success(try watch.run())
        } catch {
            return .failure(error)
        }
    }

    private static func noResources(_ request: ProcessRequest) -> SpawnFailure {
        SpawnFailure(program: request.arguments.first ?? "", reason: "no descriptors or threads are left")
    }
}
