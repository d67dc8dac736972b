import JOSE
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("objects are equal and hash alike in any order of their members")
    func order() {
        let one: JSONObject = ["a": 1, "b": [2, "x"]]
        let two: JSONObject = ["b": [2, "x"], "a": 1]
        #expect(one == two)
        #expect(Set([one, two]).count == 1)
        #expect(one != ["a": 1, "b": [2, "y"]])
        #expect(one != ["a": 1])
        #expect(["a": 1] != one)
    }

    @Test("strings are equal by their bytes")
    func exactStrings() {
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
        #expect(JSONValue.string("\u{E9}") == "é")
    }

    @Test("an accessor gives a value only of its own kind")
    func accessors() {
        #expect(JSONValue.string("a").stringValue == "a")
        #expect(JSONValue.int(1).stringValue == nil)
        #expect(JSONValue.int(1).numberValue == 1)
        #expect(JSONValue.number(1.5).numberValue == 1.5)
        #expect(JSONValue.number(1).intValue == nil)
        #expect(JSONValue.bool(true).boolValue == true)
        #expect(JSONValue.int(1).boolValue == nil)
        #expect(JSONValue.array([1]).arrayValue == [1])
        #expect(JSONValue.object(["a": 1])["a"] == 1)
        #expect(JSONValue.string("a")["a"] == nil)
    }

    @Test("setting a member keeps its place, appends a new one and removes with nil")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        #expect(object.serialize() == #"{"a":3,"c":4}"#)
        #expect(object.keys == ["a", "c"])
    }

    @Test("the text of a value is compact, escaped and keeps the order of members")
    func compact() {
        let value: JSONValue = [
            "b": [1, -2.5, 1e308, true, nil], "a": "\"\\/\n\r\t\u{1}\u{7F}é<😀", "c": [:], "d": [],
        ]
        #expect(
            value.serialize()
                == #"{"b":[1,-2.5,1e+308,true,null],"a":"\"\\/\n\r\t\u0001\u007fé<😀","c":{},"d":[]}"#)
    }

    @Test("members are sorted by their bytes on request, at every level")
    func sorted() {
        let value: JSONValue = ["b": ["d": 1, "c": 2], "B": 1, "é": 2, "a": 3]
        #expect(value.serialize(sortedKeys: true) == #"{"B":1,"a":3,"b":{"c":2,"d":1},"é":2}"#)
    }

    @Test("the pretty text has one member a line")
    func pretty() {
        let value: JSONValue = ["a": [1, ["b": "x"]], "c": [:], "d": []]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": "x"
                }
              ],
              "c": {},
              "d": []
            }
            """
        #expect(value.serialize(pretty: true) == expected)
    }

    @Test("the text of a value reads back as the value")
    func roundTrip() throws {
        let value: JSONValue = [
            "i": .int(.min), "j": .int(.max), "d": 0.1, "e": .number(.leastNonzeroMagnitude),
            "f": .number(1e22), "g": 1.0,
            "s": "\u{0}\u{1F}\u{2028}\u{10FFFF}",
        ]
        #expect(try JSON.parse(value.serialize()) == value)
    }

    @Test("a number that is not finite is written as null")
    func notFinite() {
        #expect(JSONValue.array([.number(.nan), .number(.infinity)]).serialize() == "[null,null]")
    }

    @Test(
        "the pointers of RFC 6901 §5 find their values",
        arguments: [
            ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ] as [(String, JSONValue)])
    func pointer(pointer: String, expected: JSONValue) {
        #expect(Self.document.at(pointer: pointer) == expected)
        #expect(Self.document.at(pointer: "") == Self.document)
    }

    @Test(
        "a pointer to nothing, or malformed, finds nothing",
        arguments: [
            "foo", "/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/+1", "/foo/0/x", "/x", "/m~n", "/m~2n",
            "/m~",
        ])
    func noTarget(pointer: String) {
        #expect(Self.document.at(pointer: pointer) == nil)
    }

    private static let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
        "m~n": 8,
    ]

    @Test("a later member takes the place of an earlier one of the same bytes, in few and in many")
    func laterMembers() {
        for count in [2, 100] {
            var members = (0..<count).map { (key: "m\($0)", value: JSONValue.int(Int64($0))) }
            members += [("m1", .string("later")), ("\u{E9}", .int(1)), ("e\u{301}", .int(2))]
            let object = JSONObject(members)
            #expect(object.count == count + 2)
            #expect(object["m1"] == .string("later"))
            #expect(object.keys[1] == "m1")
        }
    }
}
