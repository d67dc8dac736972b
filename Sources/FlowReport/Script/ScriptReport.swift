internal import FlowEngine

/// A script for `sh` that sends the requests of a run again, one after the other, with curl.
///
/// Secrets come from variables and go to curl through a pipe, never in a command line. What an earlier answer brings is
/// taken from there. A browser's part is a comment with the address.
struct ScriptReport: Sendable {
    private let run: RunRecord
    private let variables: ScriptVariables

    init(_ run: RunRecord) {
        self.run = run
        variables = ScriptVariables(run.exchanges)
    }

    var text: String {
        var text = head
        var known: Set<String> = []
        var number = 0
        let exchanges = run.exchanges
        var rest = exchanges[...]
        for step in run.steps {
            for (index, exchange) in step.exchanges.enumerated() {
                rest = rest.dropFirst()
                // Of what was sent several times, once is enough.
                if step.exchanges[(index + 1)...].contains(where: { $0.isSameRequest(as: exchange) }) {
                    continue
                }
                number += 1
                text += section(exchange, step, number, rest, &known)
            }
        }
        if number == 0 { text += "\n# Nothing was sent in this run.\n" }
        return text
    }

    private var head: String {
        let mode = run.isDryRun ? "a dry run" : "run \(run.start.run)"
        let title = "\(mode) of \(run.start.flow) with \(run.start.provider)"
        return """
            #!/bin/sh
            \(ShellText.comment("The requests of \(title)."))# Holds no secret: each is a variable, which the script asks for where it needs it.
            set -eu

            # Writes an option for `curl --config -`: what it holds is in no command line, which others could read.
            option() { printf '%s = "%s"\\n' "$1" "$(printf '%s' "$2" | sed 's/[\\\\"]/\\\\&/g')"; }

            # Takes a member out of the last answer.
            member() {
                printf '%s' "$answer" | tr -d '\\n' | sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\\([^"]*\\)".*/\\1/p'
            }

            """
    }

    // MARK: One request

    private func section(
        _ exchange: Exchange, _ step: StepRecord, _ number: Int, _ rest: ArraySlice<Exchange>,
        _ known: inout Set<String>
    ) -> String {
        let answer = exchange.response.map { ", answered \($0.status)" } ?? ""
        let title = "\(number) \(step.title): \(exchange.request.purpose)\(run.isDryRun ? "" : answer)"
        var text = "\n" + ShellText.comment(title)
        if exchange.isBrowser {
            text += ShellText.comment("In a browser: \(URLText.of(exchange.request))")
            return text
        }
        for value in ScriptVariables.needs(of: exchange) {
            guard let name = variables.name(value), known.insert(name).inserted else { continue }
            text += ": \"${\(name):?\(Self.hint(value.kind))}\"\n"
        }
        text += ScriptRequest(exchange, variables).text
        for (member, variable) in variables.brought(by: exchange, for: rest) where !known.contains(variable) {
            known.insert(variable)
            text += "\(variable)=$(member \(ShellText.quoted(Self.pattern(member))))\n"
        }
        return text + pause(exchange, step)
    }

    /// Somebody has to enter the code before the next request makes sense.
    private func pause(_ exchange: Exchange, _ step: StepRecord) -> String {
        guard exchange.request.purpose == "device_authorization" else { return "" }
        return "printf 'Enter the code at that address, then press Return here. ' >&2\nread -r _\n"
    }

    /// What a variable must be set to; only letters, which need no quotes.
    private static func hint(_ kind: String) -> String {
        switch kind {
        case "code": "set it to the code in the address that the browser ends at"
        case "code_verifier": "set it to the verifier of the challenge in the address above"
        case "client_secret": "set it to the secret of the client"
        default: "set it"
        }
    }

    /// The name of a member as a pattern of `sed`, between slashes.
    private static func pattern(_ name: String) -> String {
        name.unicodeScalars.reduce(into: "") { result, scalar in
            if #".[]*^$/\"#.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }
}

extension Exchange {
    fileprivate func isSameRequest(as other: Exchange) -> Bool {
        request.purpose == other.request.purpose && request.method == other.request.method
            && request.endpoint == other.request.endpoint
            && request.body.map(\.name) == other.request.body.map(\.name)
    }
}
