import JOSE
import Testing

@testable import FlowCLI

@Suite("help")
struct HelpTests {
    @Test(
        "help fits the terminal that it is shown on, and loses no word of it",
        arguments: [40, 60, 80, 200],
        [["run"], ["environment"], ["files"], ["json"], ["faults"], ["http"], []])
    func fittedHelp(width: Int, topic: [String]) async throws {
        let place = try Workplace()
        let output = TextStream(isTerminal: true)
        let surroundings = place.surroundings(["COLUMNS": "\(width)"], output: output)
        _ = await Workplace.run((["help"] + topic).joined(separator: " "), surroundings)
        let whole = try HelpText.text(of: topic)
        #expect(
            output.text.split(whereSeparator: \.isWhitespace) == whole.split(whereSeparator: \.isWhitespace))
        let long = output.text.split(separator: "\n").filter { $0.count > width }
        // One word may be longer than there is room.
        #expect(long.allSatisfy { !$0.drop { $0 == " " }.contains(" ") }, "\(long)")
        #expect(await place.run((["help"] + topic).joined(separator: " ")).output == whole)
    }

    @Test("a row of the help goes on below its right column, where there is room for one")
    func fittedRow() {
        let text = "options\n  --name NAME   what people read when they are asked\n"
        #expect(
            FittedText.fitted(text, to: 40)
                == "options\n  --name NAME   what people read when\n                they are asked\n")
        #expect(
            FittedText.fitted(text, to: 30)
                == "options\n  --name NAME\n      what people read when\n      they are asked\n")
    }

    @Test("version, explain and help answer on standard output")
    func information() async throws {
        let place = try Workplace()
        #expect(await place.run("--version").output == "flowrun \(VersionCommand.version) (flow/1)\n")
        #expect(await place.run("version --json").output.hasPrefix("{\"name\":\"flowrun\",\"version\":\"0."))
        #expect(
            await place.run("explain fl025").output.hasPrefix("FL025 (error): outcome without destination\n"))
        #expect(await place.run("").output == HelpText.overview)
        #expect(await place.run("--help").output == HelpText.overview)
        #expect(await place.run("-h").output == HelpText.overview)
        #expect(await place.run("run --help").output == (try HelpText.text(of: ["run"])))
        let environment = await place.run("help environment").output
        #expect(environment.contains("FLOWRUN_HTTP_TIMEOUT"))
        for name in ["HTTPS_PROXY", "SSL_CERT_FILE", "FLOWRUN_STORE_PASSPHRASE", "CI", "TRACEPARENT"] {
            #expect(environment.contains(name), "\(name) decides something")
        }
        let codes = await place.run("help exit-codes").output
        for status in ExitStatus.allCases { #expect(codes.contains("\(status.rawValue)  \(status.name)")) }
    }

    @Test(
        "help json names every member that a command writes",
        arguments: [
            "plan login -p sandbox", "token sandbox", "status", "store status", "journal", "flow list",
            "provider list sandbox", "explore login", "hooks list login", "kinds", "trust", "trace list",
            "doctor",
            "config path", "config explain client-id", "pkce", "version", "provider hosts sandbox",
            "provider show sandbox",
            "logout --all",
            "login sandbox --no-input --no-save --set issuer=http://127.0.0.1:1",
        ])
    func jsonForms(line: String) async throws {
        let place = try Workplace()
        let name = line.split(separator: " -").first.map(String.init) ?? line
        let row = try #require(
            JSONForms.rows.first { $0.left == line }
                ?? JSONForms.rows.first { row in
                    row.left.split(separator: ", ").contains { name.hasPrefix("\($0) ") || name == $0 }
                })
        let written = try JSON.parse(Array(await place.run("\(line) --json").output.utf8))
        let known =
            JSONForms.rows.filter { $0.left == row.left }.map(\.right).joined()
            + (["plan", "token"].contains(row.left) ? JSONForms.rows[0].right : "") + " events"
        let words = Set(known.split { !$0.isLetter && $0 != "_" }.map(String.init))
        let objects = (written.arrayValue ?? [written]).compactMap(\.objectValue)
        let lists = ["sessions", "checks", "findings", "pairs", "fields", "registration"].flatMap {
            written.objectValue?[$0]?.arrayValue ?? []
        }
        let members = (objects + lists.compactMap(\.objectValue)).flatMap(\.members).map(\.key)
        #expect(members.filter { !words.contains($0) } == [])
    }
}
