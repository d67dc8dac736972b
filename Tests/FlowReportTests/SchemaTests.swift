import JOSE
import Testing

@testable import FlowReport

@Suite("The schema of a trace")
struct TraceSchemaTests {
    /// What the schema says of a type: its members, and which of them must be there.
    private static func members(of type: String) -> (known: Set<String>, required: Set<String>)? {
        for rule in TraceSchema.schema()["allOf"]?.arrayValue ?? [] {
            guard rule["if"]?["properties"]?["type"]?["const"]?.stringValue == type,
                let object = rule["then"]
            else { continue }
            let known = object["properties"]?.objectValue?.map(\.key) ?? []
            return (Set(known), Set(object["required"]?.arrayValue?.compactMap(\.stringValue) ?? []))
        }
        return nil
    }

    @Test("every member that is written is in it, and whatever it asks for is written")
    func complete() throws {
        let common: Set<String> = ["v", "seq", "t", "run", "step", "type"]
        var types: Set<String> = []
        for line in RoundTripTests.text(RoundTripTests.events, reveals: true).split(separator: "\n") {
            let object = try #require(try JSON.parse(Array(line.utf8)).objectValue)
            let type = try #require(object["type"]?.stringValue)
            let schema = try #require(Self.members(of: type), "\(type)")
            let written = Set(object.map(\.key)).subtracting(common)
            #expect(written.subtracting(schema.known).isEmpty, "\(type)")
            #expect(schema.required.subtracting(written).isEmpty, "\(type)")
            types.insert(type)
        }
        #expect(types == Set(TraceSchema.events.map(\.type)))
    }
}
