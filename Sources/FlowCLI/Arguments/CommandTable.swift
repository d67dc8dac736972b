/// What commands there are, and what each is told on the command line.
enum CommandTable {
    /// First words of commands.
    static var words: [String] {
        var words: [String] = []
        for spec in all {
            let word = String(spec.name.prefix { $0 != " " })
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// Second words after `word`; empty when it stands alone.
    static func subcommands(of word: String) -> [String] {
        all.filter { $0.name.hasPrefix(word + " ") }.map { String($0.name.dropFirst(word.count + 1)) }
    }

    static func spec(_ name: String) -> CommandSpec? { (all + hidden).first { $0.name == name } }

    static let common = [
        OptionSpec(
            "color", "WHEN", choices: ["auto", "always", "never"], help: "colours: auto, always or never"),
        OptionSpec("ascii", help: "write ASCII in place of symbols"),
        OptionSpec("providers", "DIR", help: "look for providers in DIR first"),
        OptionSpec("verbose", short: "v", help: "say more; twice: everything"),
        OptionSpec("quiet", short: "q", help: "say only what went wrong"),
        OptionSpec("help", short: "h", environment: false, help: "show help"),
    ]

    static let output = OptionSpec(
        "output", "FORM", short: "o", choices: ["text", "json"], help: "text or json")
    static let json = OptionSpec("json", help: "the same as --output json")
    static let jsonWithEvents = OptionSpec(
        "json", help: "the same as --output json, with the events on standard error, a line of JSON each")

    static let run = CommandSpec(
        "run", "FLOW", count: 1...1, summary: "run a flow",
        notes: """
            FLOW is a path or the name of a flow (flowrun flow list). The outputs of the flow go to standard output, \
            everything else to standard error. --dry-run sends, opens and writes nothing; --dry-run=discover fetches \
            metadata and keys, and sends nothing else; --dry-run=sandbox sends nothing either: the sandbox stands in for \
            the provider, checks what it would get, and answers. Of several providers the options about the provider and its \
            client are about the first; the others have what flowrun.yaml registers.
            """,
        options: binding + rehearsal + live + [outputOrToken] + reporting.filter { $0.name != "output" })

    /// Of a command that may have obtained a token for itself, which is meant to be used.
    private static let outputOrToken = OptionSpec(
        "output", "FORM", short: "o", choices: ["text", "json", "token", "header"],
        help: "text or json; token or header: the access token alone, as flowrun token prints it")

    static let plan = CommandSpec(
        "plan", "FLOW", count: 1...1, summary: "show what a run would do: the same as run --dry-run",
        options: binding + rehearsal.filter { !["dry-run", "fault", "run-hooks"].contains($0.name) }
            + reporting)

    static let binding: [OptionSpec] =
        [
            OptionSpec(
                "provider", "[ALIAS=]NAME", short: "p",
                help: "provider to use, by name or path"),
            OptionSpec(
                "input", "NAME=VALUE", short: "i", environment: false,
                help: "value of an input of the flow; of a list one or several"),
            OptionSpec("var", "NAME=VALUE", environment: false, help: "the same as --input"),
            OptionSpec("profile", "NAME", help: "whose session it is (default: default)"),
        ] + client

    /// Of a command that uses what a sign-in has brought.
    static let sessionBinding = binding.filter { !["scope", "param"].contains($0.name) }

    /// Which of the session's access tokens is wanted.
    static let narrowing = [
        OptionSpec(
            "scope", "SCOPE", environment: false,
            help: "access token for these scopes alone, of those that were granted"),
        OptionSpec(
            "resource", "URI", environment: false,
            help: "access token for this resource (RFC 8707)"),
    ]

    /// What the command line says of a client.
    static let client = [
        OptionSpec("client-id", "ID", help: "client identifier"),
        OptionSpec("client-secret-file", "FILE", help: "file that holds the client secret"),
        OptionSpec("client-secret-env", "NAME", help: "environment variable that holds the client secret"),
        OptionSpec(
            "client-secret-stdin", environment: false, help: "read the client secret from standard input"),
        OptionSpec("private-key-file", "FILE", help: "key that signs assertions, PEM or JWK"),
        OptionSpec("private-key-env", "NAME", help: "variable that holds that key"),
        OptionSpec(
            "client-assertion-file", "FILE",
            help: "file with the JWT that a build service or a cluster issues for the client"),
        OptionSpec("client-assertion-env", "NAME", help: "variable that holds that JWT"),
        OptionSpec("environment", "NAME", help: "environment of the provider, as sandbox"),
        OptionSpec("scope", "SCOPE", help: "further scope to ask for"),
        OptionSpec(
            "param", "NAME=VALUE", environment: false,
            help: "further parameter of the authorization request, of those that the provider's file allows"),
        OptionSpec(
            "set", "NAME=VALUE", environment: false,
            help: "value of a variable of the provider; of a secret one its place: env:NAME, file:FILE"),
        OptionSpec("redirect-uri", "URI", help: "redirect URI that is registered"),
    ]

    static let rehearsal = [
        OptionSpec(
            "dry-run", "DEPTH", implied: "plan",
            choices: RunRequest.Rehearsal.Depth.allCases.map(\.rawValue),
            help:
                "rehearse with synthetic answers; discover: with the metadata that the provider really publishes; "
                + "sandbox: with the sandbox in the provider's place"
        ),
        OptionSpec(
            "assume", "STEP[@VISIT]=OUTCOME", environment: false,
            help: "how a step ends in the rehearsal, or its HTTP status as in exchange=400:invalid_grant"),
        OptionSpec(
            "given", "STEP.FIELD=VALUE", environment: false,
            help: "what a step leaves behind in the rehearsal, as restore.refreshed_at=-25h"),
        OptionSpec(
            "fault", "SPEC", environment: false,
            help: "something that goes wrong at the sandbox, as token:invalid_grant@1 (flowrun help faults)"),
        OptionSpec(
            "run-hooks", environment: false,
            help: "run the hooks that are programs, or servers of this machine, with what the sandbox answers"
        ),
        OptionSpec("seed", "N", environment: false, help: "seed of the rehearsal (default: 1)"),
        OptionSpec("now", "TIME", environment: false, help: "time of the rehearsal, as 2026-01-31T12:00:00Z"),
        OptionSpec(
            "check", "FILE", environment: false, help: "compare the plan with FILE; status 12 when it differs"
        ),
        WhyQuestion.option,
    ]

    static let live =
        [
            OptionSpec("no-browser", help: "do not open a browser; show the address"),
            OptionSpec("browser", "COMMAND", help: "open the address with COMMAND"),
            OptionSpec(
                "headless", "WHEN", choices: ["auto", "on", "off"],
                help:
                    "whether the browser is on another machine (default: auto, as over SSH without a display)"
            ),
            OptionSpec(
                "url-to", "PLACES",
                help: "where the address goes: open, print, qr, clipboard, file:PATH (default: open,print)"),
            OptionSpec("port", "N", help: "port of the redirect on this machine"),
            OptionSpec("wait", "DURATION", help: "longest wait for a person, as 90s; the flow's bound stays"),
            OptionSpec("timeout", "DURATION", help: "end the whole run after this time"),
            OptionSpec("http-timeout", "DURATION", help: "bound of one HTTP request, as 20s"),
            OptionSpec("no-input", help: "never wait for a person; status 4 when one is needed"),
            OptionSpec("no-save", help: "neither read nor keep a session"),
            OptionSpec("cacert", "FILE", help: "certificate authorities to trust, in place of the system's"),
            OptionSpec(
                "refresh-metadata", help: "fetch the provider's metadata and keys, whatever is cached"),
            OptionSpec("no-hooks", help: "leave out hooks that are programs, servers or closures"),
            OptionSpec(
                "trust", environment: false,
                help: "let the files of the run reach beyond themselves this time (see: flowrun help trust)"),
        ] + store

    static let reporting = [
        output, jsonWithEvents,
        OptionSpec(
            "reveal", environment: false,
            help: "show secret outputs; terminals only, unless FLOWRUN_ALLOW_REVEAL=1; never in CI"),
        OptionSpec("trace", "FILE", help: "write the trace to FILE; - is standard error"),
        OptionSpec(
            "trace-format", "FORM", choices: ["text", "jsonl"],
            help: "text or jsonl (default: jsonl for files)"),
        OptionSpec(
            "report", "FORM=FILE",
            help:
                "write a report of the run: html=run.html, har, mermaid, junit, tap, curl, otlp, text, jsonl"),
        OptionSpec("no-trace", help: "keep no trace of the run (flowrun trace list)"),
        OptionSpec(
            "redact", "HOW", choices: ["standard", "strict"],
            help: "strict: traces and reports that strangers may read (default: standard)"),
    ]

    static let flowList = CommandSpec("flow list", summary: "list flows", options: [output, json])
    static let flowShow = CommandSpec("flow show", "FLOW", count: 1...1, summary: "show a flow")

    static let sandbox = CommandSpec(
        "sandbox", summary: "serve the built-in OpenID provider on this machine until interrupted",
        notes: """
            With --verbose each request is told on standard error, without its secrets. With --provider it stands in for \
            another provider, as its file describes it: for https://HOST/PATH of that it answers at \
            http://127.0.0.1:9400/HOST/PATH, to any client with any secret.
            """,
        options: [
            OptionSpec(
                "provider", "NAME", short: "p", environment: false,
                help: "provider to stand in for, by name or path"),
            OptionSpec("environment", "NAME", environment: false, help: "environment of that provider"),
            OptionSpec(
                "set", "NAME=VALUE", environment: false, help: "value of a variable of that provider"),
            OptionSpec(
                "redirect-uri", "URI", environment: false,
                help: "where browsers go whose request names no place"),
            OptionSpec(
                "write", "FILE", environment: false,
                help: "write a descriptor with the addresses here, to sign in with"),
            OptionSpec("port", "N", help: "port to listen on; 0 for any (default: 9400)"),
            OptionSpec(
                "fault", "SPEC",
                help: "something that goes wrong, as token:invalid_grant@1 (flowrun help faults)"),
            OptionSpec("automatic", help: "sign the first user in without a page"),
            OptionSpec(
                "algorithm", "ALG", choices: ["RS256", "ES256", "EdDSA"],
                help: "what signs its tokens and answers (default: RS256)"),
            OptionSpec("require-pushed-requests", help: "take only pushed authorization requests (RFC 9126)"),
            OptionSpec(
                "demand-dpop-nonce", help: "demand a nonce in every proof of possession (RFC 9449 §8)"),
            OptionSpec("any-scope", help: "grant scopes that it does not know"),
            OptionSpec(
                "access-lifetime", "DURATION", help: "how long access tokens are good (default: 1h)"),
        ] + initialAccessToken + [output, json])

    /// Where the token is that lets somebody register a client.
    static let initialAccessToken = [
        OptionSpec("initial-access-token-file", "FILE", help: "file with the token that allows registration"),
        OptionSpec(
            "initial-access-token-env", "NAME", help: "variable that holds the token that allows registration"
        ),
    ]

    static let version = CommandSpec("version", summary: "show the version", options: [json])
    static let help = CommandSpec(
        "help", "[COMMAND | TOPIC]", count: 0...2,
        summary: "show help; topics: \(HelpText.topics.joined(separator: ", "))")
}
