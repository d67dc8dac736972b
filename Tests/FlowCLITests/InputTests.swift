import FlowLanguage
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowCLI

@Suite("Inputs of a flow")
struct InputTests {
    static let values: [(text: String, type: FlowType, value: Value?)] = [
        ("a b", .string, .string("a b")),
        ("12", .int, .int(12)), ("1.5", .int, nil),
        ("1.5", .number, .number(1.5)), ("nan", .number, nil),
        ("true", .bool, .bool(true)), ("yes", .bool, nil),
        ("5m", .duration, .duration(300_000)), ("5", .duration, nil),
        ("1970-01-01T00:00:01Z", .time, .time(1_000)), ("noon", .time, nil),
        ("https://a.example/", .url, .string("https://a.example/")), ("http://a.example/", .url, nil),
        ("[1]", .json, .json([1])), ("{", .json, nil),
        ("{\"a\":1}", .map, .map(["a": .int(1)])), ("[]", .map, nil),
        ("a,b c", .list(.string), .list([.string("a"), .string("b"), .string("c")])),
        ("1,x", .list(.int), nil), ("", .list(.string), .list([])),
        ("s", .secret, .secret(Secret("s", kind: .other))), ("", .secret, nil),
        ("7", .optional(.int), .int(7)), ("x", .tokenset, nil),
    ]

    @Test("a text is read as the type of the input", arguments: values)
    func reading(text: String, type: FlowType, value: Value?) {
        #expect(InputReading.parse(text, as: type) == value)
    }

    @Test(
        "what is missing is asked for, a secret off the command line where it has another place",
        arguments: [
            ("string", "give --input who=…\n"),
            ("string, env: WHO", "give --input who=… or set WHO\n"),
            ("secret, env: WHO, file: who.txt", "set WHO or write it into who.txt\n"),
            ("secret", "give --input who=…\n  others on this machine can read it there"),
            ("list<secret>, env: WHO", "set WHO\n"),
        ])
    func missing(type: String, hint: String) async throws {
        let flow = """
            language: flow/1
            flow: ask
            inputs: { who: { type: \(type) } }
            start: one
            steps: { one: { do: set, next: done } }
            ends: { done: { result: success } }

            """
        let place = try Workplace(["flows/ask.flow.yaml": flow])
        let result = await place.run("run ask -p sandbox --no-save")
        #expect(result.status == 3)
        #expect(result.error.contains("needs the input \"who\""), "\(result.error)")
        #expect(result.error.contains("  \(hint)"), "\(result.error)")
    }

    @Test("of a list everything counts that is given, of a text the last")
    func given() async throws {
        let flow = """
            language: flow/1
            flow: ask
            inputs: { who: string, all: list<string> }
            outputs: { who: string, all: list<string> }
            start: one
            steps: { one: { do: set, next: done } }
            ends: { done: { result: success, outputs: { who: "${inputs.who}", all: "${inputs.all}" } } }

            """
        let place = try Workplace(["flows/ask.flow.yaml": flow])
        let words = "-i who=a -i all=a,b -i who=b --var all=c"
        let result = await place.run("run ask -p sandbox --no-save -o json \(words)")
        #expect(result.status == 0, "\(result.error)")
        let outputs = try JSON.parse(Array(result.output.utf8))["outputs"]
        #expect(outputs?["all"] == ["a", "b", "c"])
        #expect(outputs?["who"] == "b")
    }

    @Test("a rehearsal has a stand-in for a secret that is not there, and for nothing else")
    func rehearsed() async throws {
        let flow = { (type: String) in
            """
            language: flow/1
            flow: ask
            inputs: { who: \(type) }
            start: one
            steps: { one: { do: set, next: done } }
            ends: { done: { result: success } }

            """
        }
        let place = try Workplace([
            "flows/secret.flow.yaml": flow("secret"), "flows/text.flow.yaml": flow("string"),
        ])
        let secret = await place.run("plan flows/secret.flow.yaml -p sandbox")
        #expect(secret.status == 0, "\(secret.error)")
        #expect(secret.output.contains("‹secret›"))
        #expect(await place.run("plan flows/text.flow.yaml -p sandbox").status == 3)
    }

    @Test("a command that suggests itself repeats inputs that everybody may read, and no others")
    func repeated() throws {
        let types = [
            "name: string", "tags: list<string>", "pin: secret", "mail: sensitive", "more: optional json",
        ]
        let flow = """
            language: flow/1
            flow: ask
            inputs: { \(types.map { $0.replacing(": ", with: ": { type: ") + " }" }.joined(separator: ", ")) }
            start: one
            steps: { one: { do: set, next: done } }
            ends: { done: { result: success } }

            """
        let source = SourceFile(path: "ask.flow.yaml", text: flow)
        let program = try #require(FlowCompiler.compile(source).program)
        let given = ["name", "tags", "pin", "mail", "more"].map { NamedText(name: $0, text: "a b") }
        #expect(SignInHint.inputs(given, of: program) == " --input 'name=a b' --input 'tags=a b'")
        #expect(SignInHint.inputs([], of: program) == "")
    }
}
