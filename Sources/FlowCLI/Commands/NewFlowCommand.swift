internal import FlowLanguage
internal import Glibc
internal import JOSE
internal import YAMLText

/// `flow new`: a flow to begin with.
struct NewFlowCommand: Sendable {
    let context: CommandContext
    let request: NewFlowRequest

    private static let schemaName = "flow.schema.json"

    func run() throws(Problem) -> Int {
        try checkName()
        let text = try text()
        let folder = FilePath.join(context.library.project ?? context.surroundings.directory, "flows")
        let path = FilePath.join(folder, "\(request.name).flow.yaml")
        let shown = FilePath.shown(path, from: context.surroundings.directory)
        guard FileAccess.status(path) == nil else {
            throw Problem(
                .usage, "\(shown) exists already", hints: ["choose another name, or remove it first"])
        }
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw Problem(FileProblem(errnoOf: folder), .local)
        }
        do throws(FileProblem) {
            try FileReplacement.create(path, text)
            let schema = FilePath.join(folder, Self.schemaName)
            if FileAccess.status(schema) == nil {
                try FileReplacement.create(schema, FlowSchema.schema().serialize(pretty: true) + "\n")
            }
        } catch {
            throw Problem(error, .local)
        }
        context.write(next(shown))
        return ExitStatus.ok.rawValue
    }

    private func next(_ path: String) -> String {
        let rows = [
            ("lint \(path)", "check it after every change"),
            ("test \(path)", "run its tests; nothing is sent"),
            ("plan \(request.name) --provider sandbox", "see every request that it would make"),
            ("run \(request.name) --provider sandbox", "sign in at the provider that comes with flowrun"),
            ("graph \(request.name)", "draw it"),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { "  flowrun \($0.padded(to: width))  \($1)\n" }
        return "wrote \(path)\n\nnext\n\(lines.joined())"
    }

    /// A name that is a word of the language, so that it can neither leave the folder nor fail the linter.
    private func checkName() throws(Problem) {
        let name = request.name.utf8
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isID =
            name.first.map(letters.contains) == true && name.count <= 63
            && name.allSatisfy { letters.contains($0) || digits.contains($0) || "_-".utf8.contains($0) }
        guard isID else {
            throw Problem(
                .usage, "a flow cannot be named \"\(request.name)\"",
                hints: ["a name begins with a letter a-z and goes on with a-z, 0-9, _ and -"])
        }
    }

    private func text() throws(Problem) -> String {
        let header = "# yaml-language-server: $schema=\(Self.schemaName)\n"
        guard let model = request.model else { return header + Self.template(request.name) }
        let flow = try context.library.flow(model)
        let text = flow.source.text
        guard let root = YAMLDocument.parse(flow.source).root, let name = root["flow"] else { return text }
        // The one line that says what the flow is called.
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let index = name.span.start.line - 1
        guard lines.indices.contains(index) else { return text }
        let line = lines[index]
        lines[index] =
            String(line.prefix(name.span.start.column - 1)) + request.name
            + line.dropFirst(name.span.end.column - 1)
        return (text.hasPrefix("# yaml-language-server:") ? "" : header) + lines.joined(separator: "\n")
    }

    private static func template(_ name: String) -> String {
        """
        # Signs a person in with the browser.
        #
        # A flow is a list of steps. Each step ends with one outcome, and `next` says where every outcome leads. What a
        # step does not say is said once for all steps under `defaults`.
        language: flow/1
        flow: \(name)
        version: 1
        summary: Sign in with the browser.

        outputs:
          subject: optional string

        defaults:
          timeout: 20s
          next:
            any.security: blocked              # a check failed: something may be forged
            any.transient: unavailable         # it may work later
            any.denied: denied                 # the person or the provider said no
            any: refused                       # everything else that can go wrong

        start: authorize

        steps:
          # Opens the browser at the provider. State, nonce and PKCE are the step's own business.
          authorize:
            next:
              ok: callback
              headless: unattended             # there is nobody to show a page to

          # Waits for the browser to come back.
          callback:
            timeout: 5m
            next: exchange

          # Redeems the code for tokens; a code works once.
          exchange:
            next: verify

          # Checks the ID token: signature, issuer, audience, nonce, times.
          verify:
            do: verify_id_token
            next:
              ok: signed_in
              absent: signed_in                # plain OAuth 2.0 has none

        ends:
          signed_in:
            result: success
            outputs:
              subject: ${tokens.main.subject}
          unattended:
            result: failure
            message: "Somebody has to sign in, and there is no browser here."
            exit: 4
          denied:
            result: failure
            message: "The sign-in was refused."
            exit: 5
          refused:
            result: failure
            message: "The provider's answer cannot be used."
            exit: 6
          blocked:
            result: failure
            message: "An answer failed a security check."
            exit: 7
          unavailable:
            result: failure
            message: "The provider cannot be reached at the moment."
            exit: 8

        # Dry runs: nothing is sent. `assume` says how steps end, `expect` what must come of it.
        tests:
          - name: a forged callback is never redeemed
            assume: [callback=state_mismatch]
            expect: { end: blocked, never: [exchange] }

        """
    }
}
