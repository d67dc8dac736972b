import JOSE
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    @Test("a value of each kind is read, with white space anywhere between")
    func kinds() throws {
        let text = " {\"a\" : [ null , true,false ,1, -2.5e1 ,\"x\" ] ,\r\n\t\"b\":{ } , \"c\":[ ]} \n"
        let expected: JSONValue = ["a": [nil, true, false, 1, -25.0, "x"], "b": [:], "c": []]
        #expect(try JSON.parse(text) == expected)
    }

    @Test(
        "an integer is exact, however many digits it has, and any other number is a double",
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .bigInteger("9223372036854775808")),
            ("-9223372036854775809", .bigInteger("-9223372036854775809")),
            ("18446744073709551616", .bigInteger("18446744073709551616")),
            ("9223372036854775808.0", 9223372036854775808.0), ("1e308", 1e308), ("1.0", 1.0), ("1E+2", 100.0),
            ("0.1", 0.1), ("1e-400", 0.0), ("5e-324", .number(.leastNonzeroMagnitude)),
        ] as [(String, JSONValue)])
    func numbers(text: String, expected: JSONValue) throws {
        #expect(try JSON.parse(text) == expected)
    }

    @Test("integers that no 64 bits hold are told apart by every digit, and written as they were")
    func bigIntegers() throws {
        let text = #"{"id":12345678901234567890,"other":[-12345678901234567891]}"#
        let value = try JSON.parse(text)
        #expect(value.serialize() == text)
        #expect(try JSON.parse(value.serialize()) == value)
        #expect(value["id"] != .bigInteger("12345678901234567891"))
        #expect(value["id"] != .number(12345678901234567168))
        #expect(value["id"]?.hashValue == JSONValue.bigInteger("12345678901234567890").hashValue)
        #expect(value["id"]?.numberValue == 12345678901234567168)
        #expect(value["id"]?.intValue == nil)
    }

    @Test(
        "a text that is not one JSON value is refused at its first wrong byte",
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2),
            ("nul", .unexpectedEnd, 3), ("nulL", .syntax, 3), ("True", .syntax, 0), ("[1,]", .syntax, 3),
            ("{\"a\":1,}", .syntax, 7), ("{a:1}", .syntax, 1), ("{\"a\" 1}", .syntax, 5),
            ("[1 2]", .syntax, 3),
            ("'a'", .syntax, 0), ("01", .syntax, 0), ("-01", .syntax, 0), ("1.", .unexpectedEnd, 2),
            (".5", .syntax, 0), ("+1", .syntax, 0), ("-", .unexpectedEnd, 1), ("-a", .syntax, 1),
            ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3), ("NaN", .syntax, 0),
            ("Infinity", .syntax, 0),
            ("1e309", .numberOutOfRange, 0), ("[-1e999]", .numberOutOfRange, 1), ("1 1", .trailingData, 2),
            ("{}x", .trailingData, 2), ("1x", .trailingData, 1), ("\"a\u{0}b\"", .controlCharacter, 2),
            ("\"a\nb\"", .controlCharacter, 2), ("\"\\x\"", .syntax, 2), ("\"\\u12g4\"", .syntax, 5),
            ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2), ("\u{FEFF}1", .byteOrderMark, 0),
            ("// a\n1", .syntax, 0), ("]", .syntax, 0),
        ] as [(String, JSONError.Kind, Int)])
    func refused(text: String, kind: JSONError.Kind, offset: Int) {
        #expect(
            error { () throws(JSONError) in try JSON.parse(text) } == JSONError(kind: kind, offset: offset))
    }

    @Test("escapes and surrogate pairs become their characters")
    func escapes() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e9\u20AC\uD83D\uDE00\u0000é€😀""#
        #expect(try JSON.parse(text) == "\"\\/\u{8}\u{C}\n\r\té€😀\u{0}é€😀")
    }

    @Test(
        "half of a surrogate pair is refused",
        arguments: [
            #""\uD83D""#, #""\uDE00""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\uD83D""#, #""\uDE00\uD83D""#,
        ])
    func loneSurrogate(text: String) {
        #expect(
            error { () throws(JSONError) in try JSON.parse(text) }
                == JSONError(kind: .loneSurrogate, offset: 3))
    }

    @Test(
        "bytes that are not UTF-8 are refused, with and without an escape in the string",
        arguments: [
            [0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func notUTF8(wrong: [UInt8]) {
        for text in [[0x22] + wrong + [0x22], Array("\"\\n".utf8) + wrong + [0x22]] {
            #expect(
                error { () throws(JSONError) in try JSON.parse(text) } == JSONError(kind: .notUTF8, offset: 1)
            )
        }
    }

    @Test("a repeated member is refused wherever it stands, also when one is written with an escape")
    func duplicates() {
        let simple = error { () throws(JSONError) in try JSON.parse(#"{"alg":1,"b":2,"\u0061lg":3}"#) }
        #expect(simple == JSONError(kind: .duplicateMember("alg"), offset: 15))
        let names = (0..<100).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let late = error { () throws(JSONError) in try JSON.parse("{\(names),\"m7\":0}") }
        #expect(late?.kind == .duplicateMember("m7"))
        let early = error { () throws(JSONError) in try JSON.parse("{\(names),\"m99\":0}") }
        #expect(early?.kind == .duplicateMember("m99"))
    }

    @Test("the end of a string and what may not stand in it are seen at every place")
    func everyPlace() throws {
        for count in 0..<20 {
            let plain = String(repeating: "~", count: count)
            #expect(try JSON.parse("[\"\(plain)\",\"\(plain)\"]") == [.string(plain), .string(plain)])
            #expect(try JSON.parse("\"\(plain)\\n________\"") == .string(plain + "\n________"))
            #expect(try JSON.parse("\"\(plain)é________\"") == .string(plain + "é________"))
            #expect(
                error { () throws(JSONError) in try JSON.parse("\"\(plain)\u{1F}________\"") }
                    == JSONError(kind: .controlCharacter, offset: count + 1))
            let broken = Array("\"\(plain)".utf8) + [0x80] + Array("________\"".utf8)
            let refusal = error { () throws(JSONError) in try JSON.parse(broken) }
            #expect(refusal == JSONError(kind: .notUTF8, offset: 1))
        }
    }

    @Test("names are different members that differ in any byte or in their length alone")
    func similarNames() throws {
        let names = [
            "exp", "exp\u{0}", "expires", "expires_a", "expires_b", "expires_ab",
            "exp" + String(repeating: "\u{1}", count: 256), "exp" + String(repeating: "\u{1}", count: 257),
        ]
        let object = JSONObject(names.enumerated().map { ($1, .int(Int64($0))) })
        let read = try JSON.parse(object.serialize())
        #expect(object.count == names.count)
        for (index, name) in names.enumerated() { #expect(read[name] == .int(Int64(index))) }
        #expect(read["expires_c"] == nil)
    }

    @Test("names that are only canonically equivalent are different members")
    func equivalentNames() throws {
        let value = try JSON.parse("{\"\u{212A}\":1,\"K\":2,\"e\u{301}\":3,\"\u{E9}\":4}")
        #expect(value["K"] == 2)
        #expect(value["\u{E9}"] == 4)
        #expect(value.objectValue?.count == 4)
    }

    @Test("32 levels are read and the 33rd is refused, for arrays, objects and both [rule 170]")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let levels = open.hasPrefix("[{") ? 2 : 1
            func text(_ count: Int) -> String {
                String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
            }
            #expect(try JSON.parse(text(32 / levels)).isNull == false)
            let refused = error { () throws(JSONError) in try JSON.parse(text(32 / levels + 1)) }
            #expect(refused?.kind == .tooDeep(limit: 32))
        }
        let hostile = error { () throws(JSONError) in try JSON.parse(String(repeating: "[", count: 1 << 20)) }
        #expect(hostile?.kind == .tooDeep(limit: 32))
    }

    @Test("a text above the size limit is refused before it is read")
    func size() throws {
        let limits = JSONLimits(bytes: 4)
        #expect(try JSON.parse("true", limits: limits) == true)
        let refused = error { () throws(JSONError) in try JSON.parse("false", limits: limits) }
        #expect(refused == JSONError(kind: .tooLarge(limit: 4), offset: 0))
    }

    @Test("a document cut short anywhere is an error")
    func truncated() {
        let text = Array(
            #"{"iss":"https://é.example","n":[1,-2.5e3,true,null],"s":"\uD83D\uDE00\n","o":{"a":{}}}"#.utf8)
        for count in 0..<text.count {
            #expect(error { () throws(JSONError) in try JSON.parse(text[..<count]) } != nil)
        }
    }

    @Test("any single changed byte gives a value or an error and no trap [rule 182]")
    func mutated() {
        let text = Array(#"{"a":"\u00e9é","n":[1,-2.5e3,true,null],"o":{"a":{}}}"#.utf8)
        var outcomes = 0
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var copy = text
                copy[index] = byte
                let failure = error { () throws(JSONError) in try JSON.parse(copy) }
                if failure == nil || (0...copy.count).contains(failure?.offset ?? -1) { outcomes += 1 }
            }
        }
        #expect(outcomes == text.count * 256)
    }
}
