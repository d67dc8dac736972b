import Glibc
import JOSE
import Testing

@testable import FlowLive

@Suite("SystemBrowser")
struct SystemBrowserTests {
    private let directory = TemporaryDirectory()
    private let url = "https://op.example/authorize?state=a&b='c';$(d)"

    /// A program that writes its arguments to a file.
    ///
    /// Another process makes it executable: a file that this one has just written can still be open in a
    /// child that a parallel test starts, and would not run.
    private func program(_ name: String, _ tail: String = "") async throws -> String {
        let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \(directory.path)/seen\n\(tail)\n"
        _ = directory.write("script", script)
        try await shell("install -m 700 script \"\(name)\"", in: directory.path)
        return "\(directory.path)/\(name)"
    }

    private var noted: String { String(decoding: fileBytes("\(directory.path)/seen"), as: UTF8.self) }

    @Test("BROWSER is one program that gets the URL as its one argument, without a shell [rule 45]")
    func namedBrowser() async throws {
        let browser = try await program("my browser")
        #expect(await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .opened(by: browser))
        #expect(noted == url + "\n")
    }

    @Test("a given command comes before BROWSER and keeps its arguments")
    func command() async throws {
        let browser = try await program("browser")
        let outcome = await SystemBrowser.open(
            url, command: [browser, "--new"], environment: [("BROWSER", "/no/such")])
        #expect(outcome == .opened(by: browser))
        #expect(noted == "--new\n\(url)\n")
    }

    @Test("the system's opener is taken from absolute entries of PATH only [rule 47]")
    func path() async throws {
        let opener = try await program("xdg-open")
        let environment = [("DISPLAY", ":0"), ("PATH", ".:relative:\(directory.path)")]
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: opener))
        let none = [("DISPLAY", ":0"), ("PATH", ".:relative")]
        #expect(await SystemBrowser.open(url, environment: none) == .unavailable(.noProgram))
    }

    @Test("a browser whose answer is there has opened, whatever becomes of its program")
    func seen() async throws {
        let hold = directory.write("hold", "")
        let browser = try await program("browser", "while [ -e \(hold) ]; do sleep 0.01; done; exit 3")
        let outcome = await SystemBrowser.open(url, command: [browser], environment: []) { tell in
            tell()
            unlink(hold)
        }
        #expect(outcome == .opened(by: browser))
    }

    @Test("an opener that fails gives way to the next one")
    func fallback() async throws {
        _ = try await program("xdg-open", "exit 3")
        let environment = [("WAYLAND_DISPLAY", "w"), ("PATH", directory.path)]
        #expect(
            await SystemBrowser.open(url, environment: environment)
                == .unavailable(.failed(program: "\(directory.path)/xdg-open", reason: "exit status 3")))
        let gio = try await program("gio")
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: gio))
        #expect(noted == "open\n\(url)\n")
    }

    @Test("a browser that stays in the foreground counts as opened and is in a session of its own")
    func foreground() async throws {
        let browser = try await program(
            "browser",
            "read -r _ _ _ _ group session _ < /proc/$$/stat; echo $$ $session > \(directory.path)/ids; sleep 2"
        )
        #expect(await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .opened(by: browser))
        let ids = String(decoding: fileBytes("\(directory.path)/ids"), as: UTF8.self).split(
            whereSeparator: \.isWhitespace)
        #expect(ids.count == 2 && ids[0] == ids[1])
    }

    @Test(
        "a browser for the terminal is not started, whatever it is called", arguments: ["w3m", "www-browser"])
    func textBrowser(_ name: String) async throws {
        let browser = try await program(name)
        #expect(
            await SystemBrowser.open(url, environment: [("BROWSER", browser)])
                == .unavailable(.textBrowser(program: browser)))
        try await shell("ln -s \(name) firefox", in: directory.path)
        let link = "\(directory.path)/firefox"
        #expect(
            await SystemBrowser.open(url, command: [link], environment: [])
                == .unavailable(.textBrowser(program: link)))
        #expect(noted.isEmpty)
    }

    @Test("what chooses a browser is not asked without a display, for it would choose one for the terminal")
    func chooser() async throws {
        let browser = try await program("sensible-browser")
        #expect(
            await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .unavailable(.noDisplay))
        #expect(
            await SystemBrowser.open(url, environment: [("BROWSER", browser), ("DISPLAY", ":0")])
                == .opened(by: browser))
    }

    @Test("xdg-open is told of no browser for the terminal")
    func fallBack() async throws {
        let opener = try await program("xdg-open", "printf %s \"$BROWSER\" > \(directory.path)/browsers")
        let environment = [("DISPLAY", ":0"), ("PATH", directory.path + ":/usr/bin:/bin")]
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: opener))
        let browsers = String(decoding: fileBytes("\(directory.path)/browsers"), as: UTF8.self).split(
            separator: ":")
        #expect(browsers.contains("firefox"))
        #expect(!browsers.contains { ["w3m", "lynx", "links", "elinks", "www-browser"].contains($0) })
    }

    @Test("under Windows its own opener is asked, and the URL reaches it as one text [rule 45]")
    func windows() async throws {
        let opener = try await program("powershell.exe")
        let environment = [("WSL_DISTRO_NAME", "Debian"), ("PATH", directory.path + ":/usr/bin:/bin")]
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: opener))
        let words = noted.split(separator: "\n").map(String.init)
        #expect(words.dropLast() == ["-NoProfile", "-NonInteractive", "-EncodedCommand"])
        let bytes = try #require(Base64.decode(words.last ?? ""))
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
        }
        #expect(
            String(decoding: units, as: UTF16.self)
                == "Start-Process 'https://op.example/authorize?state=a&b=''c'';$(d)'")
        let first = try await program("wslview")
        #expect(await SystemBrowser.open(url, environment: environment) == .opened(by: first))
    }

    @Test("without a display nothing is started")
    func noDisplay() async throws {
        _ = try await program("xdg-open")
        let outcome = await SystemBrowser.open(url, environment: [("PATH", directory.path), ("DISPLAY", "")])
        #expect(outcome == .unavailable(.noDisplay))
        #expect(noted.isEmpty)
    }

    @Test(
        "only printable http and https URLs are opened [rules 45, 46]",
        arguments: [
            "-version", "file:///etc/passwd", "javascript:alert(1)", "https://a b", "https://ä",
            "https://a\n", "",
        ])
    func refusedURL(_ url: String) async throws {
        let browser = try await program("browser")
        #expect(
            await SystemBrowser.open(url, environment: [("BROWSER", browser)]) == .unavailable(.refusedURL))
        #expect(noted.isEmpty)
    }
}
