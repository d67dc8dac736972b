import Glibc
internal import JOSE
import Synchronization

/// Opens a URL in the user's browser, never through a shell.
package enum SystemBrowser {
    package enum Outcome: Sendable, Hashable {
        /// The program was started and did not fail at once.
        case opened(by: String)
        case unavailable(Reason)
    }

    package enum Reason: Sendable, Hashable {
        /// Not http or https, or a character outside printable ASCII.
        case refusedURL
        /// Neither DISPLAY nor WAYLAND_DISPLAY is set, and no browser is named that does without.
        case noDisplay
        /// It would take over a terminal that it does not have.
        case textBrowser(program: String)
        /// No program to open a URL with was found.
        case noProgram
        /// All were tried; the last one's failure.
        case failed(program: String, reason: String)
    }

    /// Programs that know the user's browser, in this order.
    private static func openers(_ url: String, _ place: BrowserPlace) -> [[String]] {
        #if os(macOS)
            return [["/usr/bin/open", url]]
        #else
            let desktop = [["xdg-open", url], ["gio", "open", url]]
            return place.isWindowsSubsystem ? [["wslview", url], windows(url)] + desktop : desktop
        #endif
    }

    /// Windows' own opener. Its arguments are read by PowerShell and by nothing else: cmd.exe would take `&`, `^` and
    /// `%` in a URL for words of its own.
    private static func windows(_ url: String) -> [String] {
        let command = "Start-Process '\(url.replacing("'", with: "''"))'"
        let bytes = command.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return ["powershell.exe", "-NoProfile", "-NonInteractive", "-EncodedCommand", Base64.encode(bytes)]
    }

    /// What xdg-open may fall back to: without this it ends at browsers for terminals.
    private static let graphical = """
        x-www-browser:firefox:firefox-esr:chromium:chromium-browser:brave-browser:epiphany:konqueror:falkon
        """

    /// Browsers that need the terminal; `www-browser` is whichever of them is there.
    private static let textBrowsers: Set<String> = [
        "w3m", "lynx", "links", "links2", "elinks", "elinks-lite", "www-browser", "browsh", "carbonyl",
        "netrik",
        "retawq", "edbrowse", "felinks", "chawan", "cha",
    ]
    /// Programs that fall back to one of these where there is no display.
    private static let choosers: Set<String> = [
        "xdg-open", "sensible-browser", "gio", "x-www-browser", "open",
    ]

    /// How long a failure of the opener is waited for; one that is still there then has opened something.
    private static let settleMilliseconds = 700

    /// Opens `url`.
    ///
    /// - Parameters:
    ///   - command: A program and its first arguments to use in place of the system's; the URL is appended.
    ///   - environment: The child's environment; `BROWSER` (one program, not split), `PATH`, `DISPLAY` and
    ///     `WAYLAND_DISPLAY` are read from it. The caller keeps secrets out of it.
    ///   - whenSeen: Keeps what it is given and calls it as soon as the page is known to have been shown, which ends
    ///     the wait for a failure.
    package static func open(
        _ url: String, command: [String]? = nil, environment: [(String, String)],
        whenSeen: (@escaping @Sendable () -> Void) -> Void = { _ in }
    ) async -> Outcome {
        guard isAllowed(url) else { return .unavailable(.refusedURL) }
        let settings = Dictionary(environment, uniquingKeysWith: { $1 }).filter { !$0.value.isEmpty }
        var (programs, failure) = programs(for: url, command, settings)
        for program in programs {
            var environment = environment
            if program.words.first == "xdg-open", settings["BROWSER"] == nil {
                environment.append(("BROWSER", graphical))
            }
            guard let reason = await start((program.path, program.words), environment, whenSeen) else {
                return .opened(by: program.path)
            }
            failure = .failed(program: program.path, reason: reason)
        }
        return .unavailable(failure)
    }

    /// What `open` would come to if the first program that it tries works; starts none.
    package static func prospect(command: [String]?, environment: [String: String]) -> Outcome {
        let settings = environment.filter { !$0.value.isEmpty }
        let (programs, failure) = programs(for: "https://example.org/", command, settings)
        return programs.first.map { .opened(by: $0.path) } ?? .unavailable(failure)
    }

    /// The programs to try, in this order, each with its words; and why there are no others.
    private static func programs(
        for url: String, _ command: [String]?, _ settings: [String: String]
    ) -> (programs: [(path: String, words: [String])], failure: Reason) {
        let named = (command ?? settings["BROWSER"].map { [$0] }).map { $0 + [url] }
        let place = BrowserPlace(settings, isContainer: false)
        let name = named?.first?.split(separator: "/").last.map(String.init) ?? ""
        if place.obstacle != nil, named == nil || choosers.contains(name) { return ([], .noDisplay) }
        var failure = Reason.noProgram
        var programs: [(path: String, words: [String])] = []
        for candidate in named.map({ [$0] }) ?? openers(url, place) {
            guard let name = candidate.first, let path = locate(name, in: settings["PATH"]) else { continue }
            if isTextBrowser(name, path) {
                failure = .textBrowser(program: name)
            } else {
                programs.append((path, candidate))
            }
        }
        return (programs, failure)
    }

    private static func isAllowed(_ url: String) -> Bool {
        (url.hasPrefix("https://") || url.hasPrefix("http://"))
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether the program, or what its name is a link to, draws into a terminal.
    private static func isTextBrowser(_ name: String, _ path: String) -> Bool {
        var names = [name, path]
        if let resolved = realpath(path, nil) {
            names.append(String(cString: resolved))
            free(resolved)
        }
        return names.contains { textBrowsers.contains(String($0.split(separator: "/").last ?? "")) }
    }

    /// The absolute path of an executable file; relative entries of PATH are skipped.
    private static func locate(_ program: String, in path: String?) -> String? {
        if program.contains("/") { return program.hasPrefix("/") && isExecutable(program) ? program : nil }
        guard !program.isEmpty else { return nil }
        return (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").lazy
            .filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.first(where: isExecutable)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var details = stat()
        return stat(path, &details) == 0 && details.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Starts the program detached; a thread reaps it whenever it ends.
    ///
    /// - Returns: `nil` when it runs or has succeeded, else why it failed.
    private static func start(
        _ plan: (program: String, arguments: [String]), _ environment: [(String, String)],
        _ whenSeen: (@escaping @Sendable () -> Void) -> Void
    ) async -> String? {
        guard let null = FileDescriptor.nullDevice() else { return "no descriptors are left" }
        let child: SpawnedProcess
        do {
            child = try SpawnedProcess.start(
                SpawnPlan(
                    program: plan.program, arguments: plan.arguments, environment: environment,
                    input: null.number, output: null.number, errors: null.number, isDetached: true))
        } catch {
            return error.reason
        }
        let verdict = FirstValue<String?>()
        let isWatched = WorkerThread.start {
            child.waitForEnd()
            verdict.set(failure(of: child.reap()))
        }
        guard isWatched else { return nil }
        whenSeen { verdict.set(nil) }
        return await verdict.value(withinMilliseconds: settleMilliseconds) ?? nil
    }

    private static func failure(of end: ProcessEnd) -> String? {
        switch end {
        case .exited(0): nil
        case .exited(let status): "exit status \(status)"
        case .signalled(let signal): "signal \(signal)"
        // It was started, and the address may be shown: the person decides.
        case .unknown: nil
        }
    }
}
