import Glibc
import Testing

@testable import FlowLive

@Suite("SystemBrowser")
struct SystemBrowserTests {
    private let directory = TemporaryDirectory()
    private let url = "https://op.example/authorize?state=a&b='c';$(d)"

    /// A program that writes its arguments to a file.
    private func program(_ name: String, _ tail: String = "") -> String {
        directory.write(
            name, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \(directory.path)/seen\n\(tail)\n", mode: 0o700)
    }

    private var seen: String { String(decoding: fileBytes("\(directory.path)/seen"), as: UTF8.self) }

    @Test("BROWSER is one program that gets the URL as its one argument, without a shell")
    func namedBrowser() async {
        let browser = program("my browser")
        #expect(await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .opened(by: browser))
        #expect(seen == url + "\n")
    }

    @Test("a given command comes before BROWSER and keeps its arguments")
    func command() async {
        let browser = program("browser")
        let outcome = await SystemBrowser.open(
            url, command: [browser, "--new"], environment: [("BROWSER", "/no/such")])
        #expect(outcome == .opened(by: browser))
        #expect(seen == "--new\n\(url)\n")
    }

    @Test("the system's opener is taken from absolute entries of PATH only")
    func path() async {
        let opener = program("xdg-open")
        let environment = [("DISPLAY", ":0"), ("PATH", ".:relative:\(directory.path)")]
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: opener))
        let none = [("DISPLAY", ":0"), ("PATH", ".:relative")]
        #expect(await SystemBrowser.open(url, environment: none) == .unavailable(.noProgram))
    }

    @Test("an opener that fails gives way to the next one")
    func fallback() async {
        _ = program("xdg-open", "exit 3")
        let environment = [("WAYLAND_DISPLAY", "w"), ("PATH", directory.path)]
        #expect(
            await SystemBrowser.open(url, environment: environment)
                == .unavailable(.failed(program: "\(directory.path)/xdg-open", reason: "exit status 3")))
        let gio = program("gio")
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: gio))
        #expect(seen == "open\n\(url)\n")
    }

    @Test("a browser that stays in the foreground counts as opened and is in a session of its own")
    func foreground() async throws {
        let browser = program(
            "browser",
            "exec 9>&-; read -r _ _ _ _ group session _ < /proc/$$/stat; echo $$ $session > \(directory.path)/ids; sleep 2"
        )
        #expect(await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .opened(by: browser))
        let ids = String(decoding: fileBytes("\(directory.path)/ids"), as: UTF8.self).split(
            whereSeparator: \.isWhitespace)
        #expect(ids.count == 2 && ids[0] == ids[1])
    }

    @Test("without a display nothing is started")
    func noDisplay() async {
        _ = program("xdg-open")
        let outcome = await SystemBrowser.open(url, environment: [("PATH", directory.path), ("DISPLAY", "")])
        #expect(outcome == .unavailable(.noDisplay))
        #expect(seen.isEmpty)
    }

    @Test(
        "only printable http and https URLs are opened",
        arguments: [
            "-version", "file:///etc/passwd", "javascript:alert(1)", "https://a b", "https://ä",
            "https://a\n", "",
        ])
    func refusedURL(_ url: String) async {
        let browser = program("browser")
        #expect(
            await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .unavailable(.refusedURL))
        #expect(seen.isEmpty)
    }
}
