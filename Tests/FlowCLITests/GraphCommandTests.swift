import Testing

@testable import FlowCLI

@Suite("graph")
struct GraphCommandTests {
    /// Stands for Graphviz: shows that it was given the drawing.
    private static let dot = "#!/bin/sh\necho \"<svg>$1\"; grep -c -- '->'; echo '</svg>'\n"

    @Test("draws Mermaid unless another form is asked for or the file's name says so")
    func forms() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        #expect(
            await place.run("graph choice").output.hasPrefix(
                "flowchart TD\n  s0[\"pick<br/><i>choose</i>\"]:::start\n"))
        #expect(await place.run("graph choice --format dot").output.hasPrefix("digraph \"choice\" {\n"))
        let file = await place.run("graph choice -o a.dot")
        #expect(file.output == "")
        #expect(file.error == "wrote a.dot\n")
        #expect(try place.read("a.dot").contains("label=\"  ok if inputs.go  \""))
    }

    @Test("no file is taken the place of unless it is said; what is no file is written to")
    func overwriting() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text, "a.dot": "mine\n"])
        let refused = await place.run("graph choice -o a.dot")
        #expect(refused.status == 2)
        #expect(
            refused.error == "flowrun: a.dot exists already\n  give --replace to take its place\n")
        #expect(try place.read("a.dot") == "mine\n")
        let replaced = await place.run("graph choice -o a.dot --replace")
        #expect(replaced.status == 0, "\(replaced.error)")
        #expect(try place.read("a.dot").hasPrefix("digraph \"choice\" {\n"))
        #expect(await place.run("graph choice -o /dev/null").status == 0)
    }

    @Test("a form in the place of a file is no file's name", arguments: ["dot", "svg", "mermaid"])
    func formForFile(form: String) async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        let refused = await place.run("graph choice -o \(form)")
        #expect(refused.status == 2)
        #expect(
            refused.error == """
                flowrun: --output names a file, and "\(form)" is a form
                  give --format \(form), or --output ./\(form) for a file of that name

                """)
        #expect(place.permissions(of: form) == nil)
    }

    @Test("SVG is laid out by dot, wherever PATH has it")
    func svg() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        try place.write("bin/dot", Self.dot, permissions: 0o755)
        let environment = ["PATH": "\(place.path)/bin:/usr/bin:/bin"]
        let result = await place.run("graph choice --format svg", environment: environment)
        #expect(result.error == "")
        #expect(result.output == "<svg>-Tsvg\n2\n</svg>\n")
    }

    @Test("without dot says what to install, and ends with 9")
    func missing() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        let result = await place.run("graph choice -o a.svg", environment: ["PATH": "\(place.path)/nowhere"])
        #expect(result.status == 9)
        #expect(
            result.error == """
                flowrun: the program dot, which draws SVG, is not installed
                  install it: apt install graphviz, or brew install graphviz
                  or write --format mermaid or --format dot

                """)
        #expect(place.permissions(of: "a.svg") == nil)
    }

    @Test("a dot that fails is named with what it said")
    func failing() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": ChoiceFlow.text])
        try place.write("bin/dot", "#!/bin/sh\necho 'no layout' >&2\nexit 1\n", permissions: 0o755)
        let result = await place.run(
            "graph choice --format svg", environment: ["PATH": "\(place.path)/bin:/usr/bin:/bin"])
        #expect(result.status == 9)
        #expect(result.error == "flowrun: \(place.path)/bin/dot drew nothing: no layout\n")
    }
}
