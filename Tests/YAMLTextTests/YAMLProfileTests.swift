import Testing
@testable import YAMLText

@Suite("What the YAML of the flow language forbids")
struct YAMLProfileTests {
    @Test("all mistakes are reported at once, sorted, and the rest is still read")
    func allAtOnce() {
        let text = """
            on: 1
            a: &x 1
            b: *x
            a: 2
            c: !!str 3
            <<: { d: 4 }
            5: e
            """
        let (root, diagnostics) = YAMLDocument.parse(SourceFile(path: "f", text: text))
        #expect(
            lines(diagnostics) == [
                "1:1 FL005 key \"on\" is a YAML 1.1 boolean; other tools read it as true",
                "2:4 FL006 anchors are not allowed; write the value where it is used",
                "3:4 FL006 alias \"*x\" is not allowed; write the value out",
                "4:1 FL004 duplicate key \"a\" [2:1 first written here]",
                "5:4 FL006 tags are not allowed; the form of a value says its type",
                "6:1 FL006 merge key \"<<\" is not allowed; write the keys out",
                "7:1 FL002 key \"5\" is not a string",
            ])
        #expect(shape(root) == "{on=1,a=1,b=,c=3,5=e}")
    }

    @Test("a duplicate among many keys is found, and each later one points to the first [rule 5]")
    func duplicateAmongMany() {
        let keys = (1...40).map { "k\($0): 1\n" }.joined()
        #expect(
            complaints(keys + "k7: 2\n'k7': 3\n") == [
                "41:1 FL004 duplicate key \"k7\" [7:1 first written here]",
                "42:1 FL004 duplicate key \"k7\" [7:1 first written here]",
            ])
    }

    @Test(
        "every plain key that YAML 1.1 reads as a boolean is refused",
        arguments: [
            "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "True", "TRUE", "n", "N", "no", "No", "NO",
            "off",
            "Off", "OFF", "False", "FALSE",
        ])
    func booleanKeys(key: String) {
        let meaning = ["y", "o"].contains(key.lowercased().first) && !key.lowercased().hasPrefix("of")
        #expect(
            complaints("\(key): 1\n") == [
                "1:1 FL005 key \"\(key)\" is a YAML 1.1 boolean; other tools read it as "
                    + "\(meaning || key.lowercased() == "true")"
            ])
        #expect(complaints("\"\(key)\": 1\n") == [])
    }

    @Test("a plain key that is no string is refused", arguments: ["true", "false", "null", "1", "-2", "1.5"])
    func otherKeys(key: String) {
        #expect(complaints("\(key): 1\n") == ["1:1 FL002 key \"\(key)\" is not a string"])
        #expect(complaints("'\(key)': 1\n") == [])
    }

    @Test("a key that is a list, a mapping, an alias or nothing is refused")
    func structuredKeys() {
        #expect(complaints("? [a]\n: 1\n") == ["1:3 FL002 a key must be a string"])
        #expect(complaints("{ {a: 1}: 2 }\n") == ["1:3 FL002 a key must be a string"])
        #expect(complaints("?\n: 1\n") == ["1:2 FL002 a key must be a string; here is none"])
        #expect(complaints("*a : 1\n") == ["1:1 FL006 alias \"*a\" is not allowed; write the value out"])
    }

    @Test("malformed tags and directives are refused as tags")
    func malformedTags() {
        #expect(
            complaints("a: !<x 1\n") == ["1:7 FL006 tags are not allowed; the form of a value says its type"])
        #expect(
            complaints("a: !e!x 1\n") == ["1:4 FL006 tags are not allowed; the form of a value says its type"]
        )
        #expect(
            complaints("%TAG ! tag:x,2000:\n---\na: 1\n") == [
                "1:1 FL006 directives are not allowed; the file is YAML 1.2 without tags"
            ])
    }

    @Test("an unquoted template in brackets is named, and the rest of the file is still read")
    func templates() {
        let text = """
            a: { b: ${x.y}, c: "${quoted}", d: [ 1, p${q == '}'}s ] }
            e: ${fine} # { ${comment} }
            f: 1
            f: { g: ${é} }
            """
        let (root, diagnostics) = YAMLDocument.parse(SourceFile(path: "f", text: text))
        #expect(
            lines(diagnostics) == [
                "1:9 FL003 \"${\" inside { } or [ ] must be quoted",
                "1:42 FL003 \"${\" inside { } or [ ] must be quoted",
                "4:1 FL004 duplicate key \"f\" [3:1 first written here]",
                "4:9 FL003 \"${\" inside { } or [ ] must be quoted",
            ])
        #expect(diagnostics.first?.hint == "write \"${x.y}\" with the quotes")
        #expect(shape(root) == "{a={b=${x.y},c=${quoted},d=[1,p${q == '}'}s]},e=${fine},f=1}")
    }

    @Test(
        "an unquoted template is found wherever brackets are open",
        arguments: [
            ("a: [${x}]\n", "1:5"), ("a: { ${x}: 1 }\n", "1:6"), ("{ a: ${x == 'b} }\n", "1:6"),
            ("a: { b: c,\n  d: ${x, y} }\n", "2:6"), ("a: 'it''s {' \nb: { c: ${x} }\n", "2:9"),
        ])
    func templatePlaces(text: String, place: String) {
        #expect(complaints(text).first == "\(place) FL003 \"${\" inside { } or [ ] must be quoted")
    }

    @Test("a template that is never closed ends the search")
    func unclosedTemplate() {
        let result = YAMLDocument.parse(SourceFile(path: "f", text: "a: { b: ${x\n c: d }\n"))
        #expect(lines(result.diagnostics) == ["1:9 FL003 \"${\" inside { } or [ ] must be quoted"])
        #expect(result.root == nil)
    }

    @Test("a second document is refused, and the first is read")
    func secondDocument() {
        let (root, diagnostics) = YAMLDocument.parse(SourceFile(path: "f", text: "a: 1\n---\nb: 2\n"))
        #expect(lines(diagnostics) == ["2:1 FL002 a second document begins here; a file holds one"])
        #expect(shape(root) == "{a=1}")
    }

    @Test(
        "a tab is no indentation, in blocks, in lists and in brackets",
        arguments: [
            ("a:\n\tb: 1\n", "2:1"), ("a:\n  \tb: 1\n", "2:3"), ("-\ta: 1\n", "1:2"),
            ("a: {\n\tb: 1 }\n", "2:1"), ("a: |\n\tb\n", "2:1"),
        ])
    func tabs(text: String, place: String) {
        #expect(complaints(text) == ["\(place) FL002 a tab is not indentation; use spaces"])
    }

    @Test("a tab is text elsewhere")
    func harmlessTabs() throws {
        #expect(shape(try root("a:\t1\t# x\nb: |\n  x\n  \ty\nc: \"\ty\"\n")) == "{a=1,b=x\n\ty\n,c=\ty}")
    }
}
