internal import FlowLive

/// The libraries of the system that only some commands need, so that the others do not miss them.
struct LibraryChecks: Sendable {
    var transport: @Sendable () -> String? = { SystemLibraries.transportProblem() }
    var server: @Sendable () -> String? = { SystemLibraries.serverProblem() }

    var findings: [Finding] {
        [
            transport().map { .bad("library", "nothing can be sent: \($0)") }
                ?? .ok("library", "libcurl can be used"),
            server().map { .warning("library", "no browser can bring an answer by itself: \($0)") }
                ?? .ok("library", "libmicrohttpd can be used"),
        ]
    }
}
