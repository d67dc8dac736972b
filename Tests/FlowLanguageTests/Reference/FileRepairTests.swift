import FlowLanguage
import FlowTesting
import FoundationEssentials
import Testing
import YAMLText

@Suite("Files put right by the fixes of their diagnostics")
struct FileRepairTests {
    private static func repair(_ text: String) -> FileRepair {
        FileRepair(SourceFile(path: "example.flow.yaml", text: text)) { FlowCompiler.compile($0).diagnostics }
    }

    private static let sound = FlowText.flow(
        """
          ask:
            do: choose
            hooks: { before: [{ emit: { event: asked } }] }
            next: [{ to: authorize, if: "contains(inputs.who, 'a')" }, authorize]
          authorize: { with: { login_hint: "${inputs.who}" }, timeout: 90s, next: { ok: callback, headless: failed } }
          callback: { next: exchange }
          exchange: { with: { into: main }, next: verify }
          verify: { do: verify_id_token, with: { require: [\"email\"] }, next: { ok: done, absent: failed } }
        """, start: "ask",
        extra: """
            inputs: { who: { type: string, default: "a" } }
            defaults: { next: { any: failed } }
            """)

    @Test(
        "a slip is put right where one thing was meant",
        arguments: [
            ("do: choose", "do: chose"), ("next: exchange }", "next: exchnage }"),
            ("contains(", "contians("), ("'a')", "'a' )"), ("inputs.who, 'a'", "input.who, 'a'"),
            ("${inputs.who}", "${inputs.whom}"), ("login_hint:", "login_hnit:"), ("timeout:", "timout:"),
            ("headless:", "headles:"), ("do: verify_id_token", "do: verfy_id_token"),
            ("default: \"a\"", "default: 5"), ("start: ask", "start: aks"), ("type: string", "type: strng"),
            ("require:", "requrie:"), ("before:", "befor:"), ("emit:", "emitt:"),
            ("inputs: {", "ipnuts: {"), ("any: failed", "any: faild"), ("to: authorize,", "to: autorize,"),
            ("\"${inputs.who}\"", "${inputs.who}"),
        ])
    func slip(right: String, wrong: String) {
        let broken = Self.sound.replacing(right, with: wrong, maxReplacements: 1)
        #expect(broken != Self.sound)
        let repair = Self.repair(broken)
        #expect(repair.remaining.map(\.description) == Self.repair(Self.sound).remaining.map(\.description))
        guard wrong != "default: 5", wrong != "'a' )" else { return }
        #expect(repair.source.text == Self.sound)
    }

    @Test("what may have been meant in several ways is left as it is, and told")
    func doubtful() {
        let text = Self.sound.replacing("next: exchange }", with: "next: somewhere }")
        let repair = Self.repair(text)
        #expect(repair.source.text == text)
        #expect(repair.fixed.isEmpty)
        #expect(repair.remaining.contains { $0.code == "FL021" })
    }

    @Test("a fix that is none is not kept, and one that leads back and forth ends")
    func unproven() {
        let span = SourceSpan(start: SourceMark(line: 1, column: 1), end: SourceMark(line: 1, column: 2))
        func finding(_ message: String, _ fix: String) -> Diagnostic {
            Diagnostic(code: "FL010", file: "f", span: span, message: message, fix: .init(fix))
        }
        let stubborn = FileRepair(SourceFile(path: "f", text: "a: 1")) { _ in [finding("m", "b")] }
        #expect(stubborn.source.text == "a: 1")
        let worse = FileRepair(SourceFile(path: "f", text: "a: 1")) {
            $0.text == "a: 1" ? [finding("m", "b")] : [finding("n", "c")]
        }
        #expect(worse.source.text == "a: 1")
        let elsewhere = FileRepair(SourceFile(path: "f", text: "a: 1")) { _ in
            [Diagnostic(code: "FL010", file: "g", span: span, message: "m", fix: .init("b"))]
        }
        #expect(elsewhere.fixed.isEmpty)
    }

    /// Whatever letters are swapped, nothing else than what stood there comes out as sound.
    @Test("a flow that is sound after its repair says what it said before the slip")
    func honest() throws {
        let text = try String(contentsOfFile: "flows/login.flow.yaml", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var repaired = 0
        for (number, line) in lines.enumerated() where !line.contains("#") {
            guard let word = line.firstMatch(of: #/[a-z_]{4,}/#)?.output, let swapped = Self.swapped(word)
            else {
                continue
            }
            var changed = lines
            changed[number] = Substring(line.replacing(word, with: swapped, maxReplacements: 1))
            let repair = Self.repair(changed.joined(separator: "\n"))
            guard !repair.fixed.isEmpty, repair.remaining.isEmpty else { continue }
            repaired += 1
            #expect(repair.source.text == text, "line \(number + 1): \(line)")
        }
        #expect(repaired > 40)
    }

    private static func swapped(_ word: Substring) -> String? {
        var letters = Array(word)
        letters.swapAt(1, 2)
        return letters == Array(word) ? nil : String(letters)
    }
}
