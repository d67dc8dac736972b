import FlowLanguage
import FlowLive
import Glibc
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Library")
struct LibraryTests {
    @Test("a name is looked up in the project, then at the user's, then in what comes with flowrun")
    func order() throws {
        let place = try Workplace([
            "work/flowrun.yaml": "", "work/flows/login.flow.yaml": "", "work/deep/er/x": "",
            "home/.config/flowrun/flows/login.flow.yaml": "", "home/.config/flowrun/flows/mine.yaml": "",
        ])
        let library = Library(place.surroundings(folder: "work/deep/er"), providersDirectory: nil)
        #expect(library.project == "\(place.path)/work")
        #expect(try library.path(.flow, "login") == "\(place.path)/work/flows/login.flow.yaml")
        #expect(try library.path(.flow, "mine") == "\(place.path)/home/.config/flowrun/flows/mine.yaml")
        #expect(try library.path(.provider, "sandbox") == "\(Workplace.packageFolder)/providers/sandbox.yaml")
    }

    @Test(
        "a flow of the library is named so that the way to it can be told",
        arguments: [
            ("flows/outer.flow.yaml", false), ("/elsewhere/outer.flow.yaml", true), ("../outer.yaml", true),
        ])
    func comparable(from file: String, isAbsolute: Bool) throws {
        let place = try Workplace(["flows/sub.flow.yaml": "flow: sub\n"])
        let library = Library(place.surroundings(), providersDirectory: nil)
        let found = library.sources.flow("sub", file)
        #expect(found?.path == (isAbsolute ? "\(place.path)/" : "") + "flows/sub.flow.yaml")
    }

    @Test("a folder that everybody may write is nobody's project")
    func openFolder() throws {
        let place = try Workplace(["open/flowrun.yaml": "", "open/mine/x": ""])
        #expect(chmod("\(place.path)/open", 0o1777) == 0)
        let library = Library(place.surroundings(folder: "open/mine"), providersDirectory: nil)
        #expect(library.project != "\(place.path)/open")
    }

    @Test("whoever works in a project that does not count is told why, and what helps")
    func openFolderWarning() async throws {
        let place = try Workplace(["open/flowrun.yaml": "", "open/mine/x": ""])
        let fix = "to use its files: "
        #expect(chmod("\(place.path)/open", 0o777) == 0)
        let here = await place.run("flow list", folder: "open")
        #expect(
            here.error == "warning: this folder is no project: everybody may write to it; \(fix)"
                + "chmod o-w \(place.path)/open\n")
        let below = await place.run("flow list", folder: "open/mine")
        #expect(
            below.error == "warning: \(place.path)/open is no project: everybody may write to it; \(fix)"
                + "chmod o-w \(place.path)/open\n")
        #expect(await place.run("flow list -q", folder: "open").error == "")
        // Other programs read the one line that a helper writes.
        #expect(
            !(await place.run("credential kubectl -p sandbox", folder: "open").error.contains("no project")))
        #expect(chmod("\(place.path)/open", 0o1777) == 0)
        let shared = await place.run("flow list", folder: "open")
        #expect(shared.error.hasSuffix("\(fix)move the files into a folder of your own\n"))
        #expect(await place.run("flow list", folder: "open/mine").error == "")
        #expect(chmod("\(place.path)/open", 0o755) == 0)
        #expect(await place.run("flow list", folder: "open").error == "")
        #expect(chmod("\(place.path)/open/flowrun.yaml", 0o666) == 0)
        let part = await place.run("flow list", folder: "open")
        #expect(
            part.error.hasSuffix(
                "this folder is no project: everybody may write to flowrun.yaml; \(fix)chmod o-w "
                    + "\(place.path)/open/flowrun.yaml\n"), "\(part.error)")
    }

    @Test("a file of the other kind is refused as that, and a file of this folder found by its name")
    func otherKind() throws {
        let place = try Workplace(["mine.flow.yaml": "", "flowrun.yaml": ""])
        let library = Library(place.surroundings(), providersDirectory: nil)
        #expect(
            throws: LibraryProblem(
                message: "\"mine.flow.yaml\" is a flow, not a provider", hint: "flowrun run mine.flow.yaml")
        ) { try library.path(.provider, "mine.flow.yaml") }
        #expect(
            throws: LibraryProblem(
                message: "no flow is named \"mine\"",
                hint: "a file in this folder is named as such: ./mine.flow.yaml")
        ) { try library.path(.flow, "mine") }
    }

    @Test("a home that nothing can be kept in is told of with what helps")
    func home() throws {
        let place = try Workplace([:])
        #expect(UserDirectories(place.surroundings()).hints == [])
        let closed = place.surroundings(["HOME": "/dev/null/home", "XDG_STATE_HOME": place.path])
        #expect(
            UserDirectories(closed).hints == [
                "name a place that this user may write to: set HOME, or XDG_DATA_HOME"
            ])
    }

    @Test("a project of another user is told of by that user")
    func foreignFolder() throws {
        let status = FileAccess.Status(kind: .directory, owner: 4711, permissions: 0o755)
        #expect(
            ForeignProject(directory: "/srv/p", status).warning(from: "/srv/p/x")
                == "/srv/p is no project: it "
                + "belongs to user 4711; to use its files, copy them into a folder of your own")
    }

    @Test(
        "what is done with a stored session is not for the project to say",
        arguments: [ProjectUse.noFlows, .nothing])
    func strangersProject(use: ProjectUse) throws {
        let place = try Workplace([
            "flows/refresh.flow.yaml": "", "providers/sandbox.yaml": "", "flowrun.yaml": "",
        ])
        let library = Library(place.surroundings(), providersDirectory: nil, use: use)
        #expect(try library.path(.flow, "refresh") == "\(Workplace.packageFolder)/flows/refresh.flow.yaml")
        let provider = try library.path(.provider, "sandbox")
        #expect(provider.hasPrefix(Workplace.packageFolder) == (use == .nothing))
    }

    @Test("programs run credential wherever they are, and a person token")
    func uses() throws {
        let use = { (line: [String]) throws(UsageError) in
            let parsed = try ArgumentReader.read(line, environment: [:])
            return try Command.read(parsed, isRevealAllowed: false).1.project
        }
        #expect(try use(["credential", "git", "get", "--provider", "acme"]) == .nothing)
        #expect(try use(["token", "acme"]) == .noFlows)
        #expect(try use(["logout", "acme"]) == .noFlows)
        #expect(try use(["login", "acme"]) == .all)
    }

    @Test("a hidden entry is listed behind the one that hides it")
    func shadowing() throws {
        let place = try Workplace(["providers/google.yaml": "", "extra/google.yaml": ""])
        let library = Library(place.surroundings(), providersDirectory: "extra")
        let entries = library.entries(of: .provider).filter { $0.name == "google" }
        #expect(
            entries.map(\.path) == [
                "extra/google.yaml", "providers/google.yaml",
                "\(Workplace.packageFolder)/providers/google.yaml",
            ])
        #expect(entries.map(\.shadowedBy) == [nil, .option, .option])
    }

    @Test("XDG_CONFIG_HOME replaces ~/.config, unless it is no absolute path")
    func userDirectories() throws {
        let place = try Workplace()
        let set = UserDirectories(
            place.surroundings(["XDG_CONFIG_HOME": "/etc/x", "XDG_STATE_HOME": "relative"]))
        #expect(set.configuration == "/etc/x/flowrun")
        #expect(set.state == "\(place.path)/home/.local/state/flowrun")
        #expect(set.data == "\(place.path)/home/.local/share/flowrun")
    }

    @Test(
        "without HOME the registered home directory is the user's; a relative HOME is none",
        arguments: [("", "/srv/bot"), ("relative", nil), ("/elsewhere", "/elsewhere")])
    func home(variable: String, home: String?) {
        let surroundings = Surroundings(
            environment: ["HOME": variable], directory: "/", registeredHome: "/srv/bot", input: .memory(""),
            output: TextStream(), error: TextStream())
        #expect(surroundings.home == home)
        #expect(UserDirectories(surroundings).cache == home.map { "\($0)/.cache/flowrun" })
    }

    @Test("the message of a place that is not there says what is wrong with HOME")
    func noHome() async throws {
        let place = try Workplace()
        let relative = await place.run("status", environment: ["HOME": "relative"])
        #expect(relative.status == ExitStatus.local.rawValue)
        #expect(
            relative.error == """
                flowrun: there is no place for sessions: HOME is not an absolute path
                  set HOME to an absolute path, or set XDG_DATA_HOME

                """)
        let unset = await place.run("status", environment: ["HOME": ""])
        #expect(unset.error.contains("HOME is not set, and the user database knows no home directory"))
    }

    @Test("an unknown name brings the nearest known one")
    func suggestion() throws {
        let place = try Workplace(["flows/sign-in.flow.yaml": ""])
        let library = Library(place.surroundings(), providersDirectory: nil)
        #expect(
            throws: LibraryProblem(
                message: "no flow is named \"sign-on\"; did you mean \"sign-in\"?", hint: nil)
        ) {
            try library.path(.flow, "sign-on")
        }
        #expect(
            throws: LibraryProblem(
                message: "no provider is named \"nowhere-at-all\"", hint: "see: flowrun provider list")
        ) {
            try library.path(.provider, "nowhere-at-all")
        }
    }

    @Test("a word with a slash or an ending is a path")
    func paths() throws {
        let place = try Workplace(["a/b.yaml": ""])
        let library = Library(place.surroundings(), providersDirectory: nil)
        #expect(try library.path(.flow, "a/b.yaml") == "a/b.yaml")
        #expect(throws: LibraryProblem(message: "no file \"c.yaml\"", hint: nil)) {
            try library.path(.flow, "c.yaml")
        }
    }

    @Test(
        "a path of no file is told the file that was meant",
        arguments: [
            ("mine.flow.yaml", "flows/mine.flow.yaml"), ("flow/mine.flow.yaml", "flows/mine.flow.yaml"),
            ("flows/mien.flow.yaml", "flows/mine.flow.yaml"), ("./flows/mine", "./flows/mine.flow.yaml"),
            ("flows/mine.flow", "flows/mine.flow.yaml"),
        ])
    func nearest(written: String, meant: String) throws {
        let place = try Workplace(["flowrun.yaml": "", "flows/mine.flow.yaml": ""])
        let library = Library(place.surroundings(), providersDirectory: nil)
        let message = "no file \"\(written)\"; did you mean \"\(meant)\"?"
        #expect(throws: LibraryProblem(message: message, hint: nil)) { try library.path(.flow, written) }
    }

    @Test("who goes on with a run that has ended is sent to its records")
    func ended() {
        #expect(ResumeCommand.problem("r_1", .ended).hints == ["how it went: flowrun journal r_1"])
    }
}
