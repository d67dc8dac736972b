import Testing

@testable import FlowCLI

@Suite("Files that are to be JSON")
struct JSONFileTests {
    private static func register(_ text: String) async throws -> Workplace.Result {
        let place = try Workplace(["m.json": text])
        return await place.run("register sandbox --metadata m.json --dry-run")
    }

    @Test("a mistake is shown with its place, its line and what helps")
    func place() async throws {
        let result = try await Self.register("{\n  \"client_name\": \"Tool\",\n  \"tos_uri\": 'x'\n}\n")
        #expect(result.status == 3)
        #expect(result.output == "")
        #expect(
            result.error == """
                m.json:3:14: error[FL001]: ''' cannot stand here
                     |
                   3 |   "tos_uri": 'x'
                     |              ^
                  hint: texts stand between " and "
                m.json: 1 error(s), 0 warning(s)
                flowrun: m.json holds no JSON object

                """)
    }

    static let mistakes: [(text: String, place: String, words: String)] = [
        (#"{"a": 1,}"#, "1:9: error[FL001]", "leave out the comma in front of it"),
        ("{\n\"a\": 1\n\"b\": 2}", "3:1: error[FL001]", "'\"' cannot stand here"),
        ("{\"a\": [1, 2\n\n", "1:12: error[FL001]", "the file ends inside of a value"),
        ("\n", "1:1: error[FL001]", "the file is empty"),
        ("{} {}", "1:4: error[FL001]", "behind the end of the value"),
        ("{\"ä\": \"ä\", \"ä\": 1}", "1:1", "the member \"ä\" is there twice"),
        ("\n  [1]", "2:3: error[FL011]", "the file holds a list, and a JSON object is wanted"),
        ("// mine\n{}", "1:1: error[FL001]", "JSON has no comments"),
        ("{\"a\": \"b\n\"}", "1:9: error[FL001]", "a quotation mark may be missing"),
    ]

    @Test("every kind of mistake has its place", arguments: mistakes)
    func kinds(text: String, place: String, words: String) async throws {
        let result = try await Self.register(text)
        #expect(result.status == 3)
        #expect(result.error.contains("m.json:\(place)"), "\(result.error)")
        #expect(result.error.contains(words), "\(result.error)")
        // An empty line shows nothing.
        #expect(result.error.contains(" |\n") == (text != "\n"))
    }

    @Test("what the provider gives is refused where it stands, and no secret of it is shown")
    func given() async throws {
        let text = "{\"client_name\": \"x\",\n \"client_secret\": \"hunter2\\\"canary\"}"
        let result = try await Self.register(text)
        #expect(result.status == 3)
        #expect(
            result.error.contains(
                "m.json:2:2: error[FL010]: \"client_secret\" is not for the client to choose"))
        #expect(result.error.contains("m.json names what the provider gives: client_secret"))
        #expect(!result.error.contains("canary") && !result.error.contains("hunter2"))
        let broken = try await Self.register(
            "{\"client_secret\": \"canary-1\" \"x\": 1, \"client_secret\":\"canary-2")
        #expect(broken.error.contains("a comma may be missing in front of it"), "\(broken.error)")
        #expect(!broken.error.contains("canary"))
    }
}
