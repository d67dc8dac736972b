internal import FlowEngine

/// A script for `sh` that sends the requests of a run again, one after the other, with curl.
///
/// Secrets come from variables and go to curl through a pipe, never in a command line. What an earlier answer brings is
/// taken from there. Verifier, state and nonce are made anew; a person opens the address and enters the code.
struct ScriptReport: Sendable {
    private let run: RunRecord
    private let variables: ScriptVariables

    init(_ run: RunRecord) {
        self.run = run
        variables = ScriptVariables(run.exchanges, makesAuthorizations: true)
    }

    var text: String {
        var text = ""
        var known: Set<String> = []
        var number = 0
        var rest = run.exchanges[...]
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
        let needsPort = LoopbackPort.isNamed(in: text)
        let form =
            ShellText.isFormUsed(in: text)
            ? "\n# Form-encodes a text, as RFC 6749 §2.3.1 asks of the parts of Basic credentials.\n\(ShellText.form)"
            : ""
        return head + form + (needsPort ? "\n" + LoopbackPort.comment + LoopbackPort.definition : "") + text
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

            # Ends with the last answer, which is an error.
            stop() {
                printf '%s\\n' "$answer" >&2
                exit 1
            }

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
        for value in variables.needs(of: exchange) {
            guard let name = variables.name(value), known.insert(name).inserted else { continue }
            text += origin(of: value, name, exchange, rest, &known)
        }
        if exchange.isBrowser { return text + visit(exchange, rest, &known) }
        // What went wrong then may go wrong again.
        let isGood = exchange.response.map { $0.status < 400 } ?? true
        text += ScriptRequest(exchange, variables).text(stopsAtError: isGood)
        for (member, variable) in variables.brought(by: exchange, for: rest) where !known.contains(variable) {
            known.insert(variable)
            text += "\(variable)=$(member \(ShellText.quoted(Self.pattern(member))))\n"
            text += "[ -n \"$\(variable)\" ] || stop\n"
        }
        return text + pause(exchange)
    }

    /// Where a value comes from that no earlier answer has brought.
    private func origin(
        of value: ScriptVariables.Value, _ name: String, _ exchange: Exchange, _ rest: ArraySlice<Exchange>,
        _ known: inout Set<String>
    ) -> String {
        let verifierLine = "=$(openssl rand -hex 32)\n"
        switch value.kind {
        case "state", "nonce": return "\(name)=$(openssl rand -hex 16)\n"
        case ScriptVariables.challenge:
            let verifier = variables.first("code_verifier", in: rest) ?? "CODE_VERIFIER"
            known.insert(verifier)
            let digest = Self.digest(like: value.fingerprint ?? "")
            return "\(verifier)\(verifierLine)\(name)=$(printf '%s' \"$\(verifier)\" | \(digest))\n"
        // A challenge that is the verifier.
        case "code_verifier" where Self.opensTransaction(exchange.request): return name + verifierLine
        default: return ": \"${\(name):?\(Self.hint(value.kind))}\"\n"
        }
    }

    /// What makes a challenge of a verifier (RFC 7636 §4.2), written as the one of the run, which its length tells.
    private static func digest(like challenge: String) -> String {
        let hexadecimal = "openssl dgst -sha256 -r | cut -c1-64"
        return switch challenge.utf8.count {
        case 64: hexadecimal
        case 86: "\(hexadecimal) | tr -d '\\n' | openssl base64 -A | tr -d '='"
        default: "openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='"
        }
    }

    private static func opensTransaction(_ request: TracedRequest) -> Bool {
        (request.query + request.body).contains { $0.name == ScriptVariables.challenge }
    }

    /// The part of a person: the address, and the code that it ends with.
    private func visit(
        _ exchange: Exchange, _ rest: ArraySlice<Exchange>, _ known: inout Set<String>
    ) -> String {
        let address = ScriptRequest.address(exchange.request, variables)
        var text = "printf '%s\\n' 'Open this address in a browser:' \"\(address)\" >&2\n"
        let later = rest.prefix { !$0.isBrowser }
        if let code = variables.first("code", in: later), known.insert(code).inserted {
            text += """
                printf 'Enter the address that it ends at, or the code in it: ' >&2
                read -r \(code)
                case $\(code) in
                *[?\\&]code=*) \(code)=${\(code)#*[?&]code=} ;;
                esac
                \(code)=${\(code)%%[&#]*}

                """
        }
        return text
    }

    /// Somebody has to enter the code before the next request makes sense.
    private func pause(_ exchange: Exchange) -> String {
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
