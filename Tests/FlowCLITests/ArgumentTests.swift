import FlowLanguage
import FlowLive
import Testing

@testable import FlowCLI

@Suite("Arguments")
struct ArgumentTests {
    private func parse(_ line: String, _ environment: [String: String] = [:]) throws(UsageError)
        -> ParsedArguments
    {
        try ArgumentReader.read(line.split(separator: " ").map(String.init), environment: environment)
    }

    private func request(_ line: String, _ environment: [String: String] = [:]) throws -> RunRequest {
        let (command, _) = try Command.read(try parse(line, environment), isRevealAllowed: false)
        guard case .run(let request) = command else {
            throw UsageError("not a run: \(line)")
        }
        return request
    }

    @Test(
        "what is dangerous, or is done once, no variable says",
        arguments: [
            "trust", "yes", "reveal", "all", "replace", "delete", "update", "write", "print", "sign-in",
        ])
    func once(name: String) throws {
        let options = CommandTable.all.flatMap(\.options).filter { $0.name == name }
        #expect(!options.isEmpty)
        #expect(options.allSatisfy { !$0.readsEnvironment })
        #expect(!HelpText.environmentRows.contains { $0.right == "--\(name)" })
    }

    @Test(
        "a report does not go where the result goes",
        arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    func reportOnOutput(file: String) async throws {
        let result = try await Workplace().run("run login -p sandbox --dry-run --report jsonl=\(file)")
        #expect(result.status == 2)
        #expect(result.error.contains("standard output bears the result"))
        #expect(result.output == "")
    }

    @Test(
        "a value is taken from the next argument, behind an equals sign or behind the letter",
        arguments: [
            "run login --provider google", "run --provider=google login", "run login -pgoogle",
            "run -p google login",
        ])
    func values(line: String) throws {
        let parsed = try parse(line)
        #expect(parsed.arguments == ["login"])
        #expect(parsed.all("provider") == ["google"])
    }

    @Test(
        "what cannot be typed again is no profile, and nothing is no browser",
        arguments: ["--profile=a\nb", "--profile=a\u{7}", "--browser="])
    func unusable(option: String) {
        #expect(throws: UsageError.self) { try request("run login \(option)") }
    }

    @Test("an argument that is not UTF-8 is refused, and not repeated")
    func broken() {
        #expect(throws: UsageError("argument 3 is not UTF-8")) {
            try parse("login --input pin=caf\u{FFFD}")
        }
    }

    @Test("letters without values are written together")
    func letters() throws {
        #expect(try parse("run login -vv").count("verbose") == 2)
        #expect(try parse("run login -qp google").all("provider") == ["google"])
    }

    @Test("after two dashes everything is an argument")
    func dashes() throws {
        #expect(try parse("lint -- --format -v").arguments == ["--format", "-v"])
    }

    @Test("a word that is no command is a flow to run")
    func implied() throws {
        let parsed = try parse("step-up --provider google")
        #expect(parsed.spec.name == "run")
        #expect(parsed.isImplied)
        #expect(parsed.arguments == ["step-up"])
    }

    @Test(
        "options may stand before the command",
        arguments: ["-q lint flows", "--color always lint flows", "--color=never lint flows"])
    func leading(line: String) throws {
        let parsed = try parse(line)
        #expect(parsed.spec.name == "lint")
        #expect(parsed.arguments == ["flows"])
    }

    @Test("plan is run --dry-run")
    func plan() throws {
        #expect(try request("plan login").rehearsal != nil)
        #expect(try request("run login --dry-run").rehearsal != nil)
        #expect(try request("run login --dry-run=plan").rehearsal != nil)
        #expect(try request("run login").rehearsal == nil)
    }

    static let mistakes: [(line: String, message: String)] = [
        ("run login --provder x", "unknown option --provder; did you mean --provider?"),
        ("run login --redirect x", "unknown option --redirect; did you mean --redirect-uri?"),
        (
            "run login --client-secret=x",
            "unknown option --client-secret; did you mean --client-secret-env or --client-secret-file or "
                + "--client-secret-stdin?"
        ),
        ("run login -z", "unknown option -z"),
        ("exec -p ci sh -c x", "unknown option -c; put -- before the program"),
        ("lint --json", "unknown option --json; here it is --format json"),
        ("run", "run needs FLOW"),
        ("run a b", "unexpected argument \"b\"; a provider is named with --provider"),
        ("rnu login", "unknown command \"rnu\"; did you mean \"run\"?"),
        ("run login --provider", "--provider needs a value"),
        ("run login --no-browser=1", "--no-browser takes no value"),
        ("run login --color sometimes", "--color needs one of auto, always, never"),
        ("run login -o jsn", "--output needs one of text, json, token, header; did you mean \"json\"?"),
        ("run login --wait soon", "--wait needs a duration such as 20s or 5m, not \"soon\""),
        ("run login --port 0", "--port needs a port from 1 to 65535, not \"0\""),
        ("run login --input x", "--input needs NAME=VALUE"),
        ("run login --seed 1", "--seed is for rehearsals: add --dry-run"),
        ("plan login --seed x", "--seed needs a number from 0, not \"x\""),
        ("plan login --now noon", "--now needs a time such as 2026-01-31T12:00:00Z, not \"noon\""),
        (
            "plan login --assume x",
            "--assume needs STEP=OUTCOME, STEP@2=OUTCOME or STEP=400:invalid_grant, not \"x\""
        ),
        ("run login --dry-run=live", "--dry-run needs one of plan, discover, sandbox"),
        (
            "provider discover https://a.example -o a.yaml",
            "--output needs one of text, json; --write FILE writes a file"
        ),
        ("provider", "provider needs one of: list, show, add, test, discover, hosts, pins"),
        // It may be a token.
        ("jwt eyJhbGciOiJub25lIn0.e30.", "jwt needs one of: decode, verify, sign"),
        ("provider lst", "unknown command \"provider lst\"; did you mean \"list\"?"),
        (
            "run login --client-secret-env A --client-secret-stdin",
            "give one of --client-secret-file, --client-secret-env and --client-secret-stdin"
        ),
        (
            "run login --reveal",
            "--reveal shows secrets on terminals only; set FLOWRUN_ALLOW_REVEAL=1 to allow it elsewhere, where CI is not set"
        ),
        (
            "resume r_1 --reveal",
            "--reveal shows secrets on terminals only; set FLOWRUN_ALLOW_REVEAL=1 to allow it elsewhere, where CI is not set"
        ),
        (
            "run login --report har=a --report html=./a",
            "--report: two reports cannot go to one file, \"./a\": give each its own"
        ),
        (
            "run login --trace a --report har=a",
            "--report: two reports cannot go to one file, \"a\": give each its own"
        ),
        ("trace export har=a html=a", "two reports cannot go to one file, \"a\": give each its own"),
    ]

    @Test("a mistake is named, with what was probably meant", arguments: mistakes)
    func mistake(line: String, message: String) {
        let error = #expect(throws: UsageError.self) { try request(line) }
        #expect(error?.message == message)
    }

    @Test("secrets are shown by no run that also writes files", arguments: ["--trace t", "--report har=t"])
    func revealedToNobodyElse(option: String) throws {
        let parsed = try parse("run login --reveal \(option)")
        let error = #expect(throws: UsageError.self) {
            try Command.read(parsed, isRevealAllowed: true)
        }
        #expect(
            error?.message
                == "--reveal goes with neither --trace nor --report: what is kept and passed on shows no secret"
        )
    }

    @Test("an option wins over its variable, its variable over the default")
    func precedence() throws {
        let environment = ["FLOWRUN_PROFILE": "work", "FLOWRUN_HTTP_TIMEOUT": "7s"]
        #expect(try request("run login").profile == "default")
        #expect(try request("run login", environment).profile == "work")
        #expect(try request("run login --profile home", environment).profile == "home")
        #expect(try request("run login", environment).live.httpTimeout == 7_000)
    }

    @Test("the provider of status is an argument or an option, and not both")
    func statusProvider() throws {
        for line in ["status acme", "status -p acme", "status --provider acme"] {
            let (command, _) = try Command.read(try parse(line), isRevealAllowed: false)
            guard case .status(let request) = command else { throw UsageError("no status: \(line)") }
            #expect(request.provider == "acme")
        }
        #expect(throws: UsageError("give one of PROVIDER and --provider", command: "status")) {
            try Command.read(try parse("status acme -p other"), isRevealAllowed: false)
        }
    }

    @Test("a command that is advised is about the same session")
    func advice() throws {
        let given = try parse(
            "token acme --profile=a'b --set host=x --set tenant=y --min-ttl 1h --client-id c")
        #expect(
            SignInHint.command("acme", given)
                == "flowrun login acme --profile 'a'\\''b' --client-id c --set host=x --set tenant=y")
        #expect(SignInHint.command(nil, try parse("token")) == "flowrun login")
    }

    @Test("the address goes where the list says, and nowhere else")
    func addressPlaces() throws {
        let places = try request("run login --url-to qr,clipboard --url-to file:a:b").live.addressPlaces
        #expect(places.isDrawn && places.isCopied && places.file == "a:b")
        #expect(!places.opensBrowser && !places.isPrinted)
        let standard = try request("run login").live.addressPlaces
        #expect(standard.opensBrowser && standard.isPrinted && standard.file == nil)
        #expect(try !request("run login --url-to open,print --no-browser").live.addressPlaces.opensBrowser)
        #expect(try request("run login --headless off").live.headless == .never)
        for word in ["file:", "prnit"] {
            let error = #expect(throws: UsageError.self) { try request("run login --url-to \(word)") }
            #expect(error?.message.hasPrefix("--url-to knows no \"\(word)\"") == true)
        }
    }

    @Test("the clipboard's sequence is wrapped for what is between the program and the terminal")
    func clipboard() {
        let url = String(repeating: "x", count: 900)
        let plain = Clipboard.sequence(for: url, [:])
        #expect(plain.hasPrefix("\u{1B}]52;c;eHh4") && plain.hasSuffix("\u{07}"))
        let tmux = Clipboard.sequence(for: url, ["TMUX": "/tmp/tmux"])
        #expect(tmux == plain + "\u{1B}Ptmux;\u{1B}" + plain + "\u{1B}\\")
        let screen = Clipboard.sequence(for: url, ["STY": "1.tty"])
        let pieces = screen.split(separator: "\u{1B}\\")
        #expect(pieces.count == 3)
        #expect(pieces.allSatisfy { $0.hasPrefix("\u{1B}P") && $0.utf8.count <= 768 })
        #expect(pieces.map { $0.dropFirst(2) }.joined() == plain)
    }

    @Test("a variable turns an option without a value on and off")
    func switches() throws {
        #expect(
            try request("run login", ["FLOWRUN_NO_BROWSER": "1"]).live.addressPlaces.opensBrowser == false)
        #expect(try request("run login", ["FLOWRUN_NO_BROWSER": "0"]).live.addressPlaces.opensBrowser)
        #expect(try request("run login", ["FLOWRUN_DRY_RUN": "yes"]).rehearsal != nil)
        let error = #expect(throws: UsageError.self) {
            try request("run login", ["FLOWRUN_NO_BROWSER": "maybe"])
        }
        #expect(
            error?.message
                == "FLOWRUN_NO_BROWSER needs 1 or 0 (or true, yes, on, false, no, off), not \"maybe\"")
        let timeout = #expect(throws: UsageError.self) {
            try request("run login", ["FLOWRUN_TIMEOUT": "soon"])
        }
        #expect(timeout?.message == "FLOWRUN_TIMEOUT needs a duration such as 20s or 5m, not \"soon\"")
        let report = #expect(throws: UsageError.self) {
            try request("run login", ["FLOWRUN_REPORT": "pdf=x"])
        }
        #expect(report?.message.hasPrefix("FLOWRUN_REPORT: no report \"pdf\"") == true)
        let places = #expect(throws: UsageError.self) {
            try request("run login", ["FLOWRUN_URL_TO": "fax"])
        }
        #expect(places?.message.hasPrefix("FLOWRUN_URL_TO knows no \"fax\"") == true)
    }

    @Test(
        "what could be a secret is read from no variable of its own",
        arguments: ["FLOWRUN_REVEAL", "FLOWRUN_INPUT"])
    func unread(variable: String) throws {
        let parsed = try parse("run login", [variable: "1"])
        #expect(!parsed.has("reveal"))
        #expect(!parsed.has("input"))
    }

    @Test("providers are chosen by alias, and a path with an equals sign is a path")
    func aliases() throws {
        let providers = try request("run login -p google -p second=acme -p ./a/b=c.yaml").providers
        #expect(providers.map(\.alias) == [nil, "second", nil])
        #expect(providers.map(\.name) == ["google", "acme", "./a/b=c.yaml"])
    }

    @Test("assumptions keep step, visit and answer")
    func assumptions() throws {
        let rehearsal = try #require(
            try request("plan login --assume userinfo@2=ok --assume exchange=400:x").rehearsal)
        #expect(rehearsal.assumptions == ["userinfo@2=ok", "exchange=400:x"].compactMap { Assumption($0) })
    }

    @Test("scopes are repeated or separated by spaces")
    func scopes() throws {
        let arguments = ["run", "login", "--scope", "a b", "--scope", "c"]
        let parsed = try ArgumentReader.read(arguments, environment: [:])
        #expect(try ClientOptions(parsed).scopes == ["a", "b", "c"])
    }

    @Test("a trace for a file is JSON lines, one for standard error is text")
    func traceFormat() throws {
        #expect(try request("run login --trace a").trace == .init(file: "a", format: .jsonl))
        #expect(try request("run login --trace -").trace == .init(file: "-", format: .text))
        #expect(
            try request("run login --trace - --trace-format jsonl").trace == .init(file: "-", format: .jsonl))
    }

    @Test(
        "every option of every command is in its help, and no option is there twice",
        arguments: CommandTable.all)
    func help(spec: CommandSpec) throws {
        let text = try HelpText.text(of: spec.name.split(separator: " ").map(String.init))
        for option in spec.options { #expect(text.contains("--\(option.name)")) }
        #expect(Set(spec.options.map(\.name)).count == spec.options.count)
        let letters = spec.options.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }
}

extension CommandSpec: CustomTestStringConvertible {
    public var testDescription: String { name }
}
