internal import FlowLive

/// What the environment says: browser, remote sessions, proxies, certificate authorities.
struct SurroundingsChecks: Sendable {
    let surroundings: Surroundings
    let live: LiveOptions

    var findings: [Finding] { [browser] + subsystem + proxies + [authorities] }

    // MARK: Browser

    private var browser: Finding {
        let command = live.browser?.split(separator: " ").map(String.init)
        let variable =
            command != nil ? "FLOWRUN_BROWSER" : surroundings.variable("BROWSER").map { _ in "BROWSER" }
        let source = variable.map { ", from \($0)" } ?? ""
        switch SystemBrowser.prospect(command: command, environment: surroundings.environment) {
        case .opened(let program): return .ok("browser", "addresses are opened by \(program)\(source)")
        case .unavailable(.noDisplay):
            return .warning(
                "browser",
                "\(BrowserPlace(surroundings.environment).obstacle ?? "no display"): a sign-in opens no browser",
                fix:
                    "open the address that it shows on any machine and paste where the browser lands, or forward "
                    + "the port as it says; without any browser here: flowrun run device-login")
        case .unavailable(.textBrowser(let program)):
            return .bad(
                "browser", "\(program) needs the terminal and is never started\(source)",
                fix: "name a graphical one in BROWSER, or none")
        case .unavailable(.noProgram) where variable != nil:
            return .bad(
                "browser", "\(variable ?? "") names no program that is there", fix: "correct or unset it")
        case .unavailable(.noProgram), .unavailable(.refusedURL), .unavailable(.failed):
            return .warning(
                "browser", "no program that opens addresses", fix: "apt install xdg-utils, or set BROWSER")
        }
    }

    private var subsystem: [Finding] {
        surroundings.variable("WSL_DISTRO_NAME").map {
            [.ok("browser", "Windows is around this Linux (\($0))")]
        } ?? []
    }

    // MARK: Network

    private var proxies: [Finding] {
        let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { surroundings.variable($0) != nil }) else {
            return [.ok("proxy", "none")]
        }
        // It may hold a password.
        let exceptions = surroundings.variable("no_proxy") ?? surroundings.variable("NO_PROXY")
        return [.ok("proxy", "from \(name)" + (exceptions.map { ", except for \($0)" } ?? ""))]
    }

    private var authorities: Finding {
        if let (file, source) = AuthorityFile.named(live.caFile, surroundings) {
            if let problem = AuthorityFile.problem(file, in: surroundings.directory) {
                return .bad("tls", problem, fix: "correct \(source)")
            }
            return .ok("tls", "only the certificate authorities in \(file) are trusted")
        }
        let folder = surroundings.variable("SSL_CERT_DIR") ?? "/etc/ssl/certs"
        guard !FileAccess.names(in: folder).isEmpty else {
            return .bad("tls", "no certificate authorities in \(folder)", fix: "apt install ca-certificates")
        }
        return .ok("tls", "the certificate authorities in \(folder) are trusted")
    }
}
