import JOSE
import Testing

@testable import FlowLanguage

@Suite("Schema of flows")
struct FlowSchemaTests {
    private let schema = FlowSchema.schema()

    private func definition(_ name: String) throws -> JSONValue {
        try #require(schema["$defs"]?[name])
    }

    @Test("is the same text every time")
    func stable() {
        #expect(schema.serialize(pretty: true) == FlowSchema.schema().serialize(pretty: true))
    }

    @Test("has every key that flowrun reads in a flow, a step and a hook, each with a description")
    func keys() throws {
        let root = try #require(schema["properties"]?.objectValue)
        #expect(Set(root.keys) == Set(FlowReader.keys))
        let step = try #require(try definition("step")["properties"]?.objectValue)
        #expect(Set(step.keys) == Set(FlowReader.stepKeys))
        let hook = try #require(try definition("hook")["properties"]?.objectValue)
        #expect(Set(hook.keys) == Set(FlowReader.hookKeys))
        for key in root.members + step.members + hook.members {
            #expect(
                key.value["description"]?.stringValue?.isEmpty == false, "\(key.key) says nothing of itself")
        }
    }

    @Test("has the arguments and outcomes of every kind", arguments: StepKind.allCases)
    func kinds(kind: StepKind) throws {
        let spec = KindTable.spec(of: kind)
        let definition = try definition("kind_\(kind.rawValue)")
        let with = try #require(definition["properties"]?["with"])
        #expect(with["properties"]?.objectValue?.keys == spec.arguments.map(\.name))
        let required = with["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(required == spec.arguments.filter(\.isRequired).map(\.name))
        let outcomes = definition["properties"]?["next"]?["then"]?["properties"]?.objectValue?.keys
        #expect((outcomes == nil) == spec.isOpen)
        if let outcomes {
            let classes = spec.outcomes.map { "any.\($0.outcomeClass.rawValue)" }
            #expect(Set(outcomes).isSuperset(of: spec.outcomes.map(\.name) + classes + ["any", "skipped"]))
        }
    }

    @Test("a hook has exactly one action", arguments: ["hook", "inline_hook"])
    func actions(name: String) throws {
        let choices = try #require(try definition(name)["oneOf"]?.arrayValue)
        #expect(choices.map { $0["required"] } == FlowReader.actionKeys.map { [.string($0)] })
    }

    @Test("every reference leads to a definition")
    func references() {
        var missing: Set<String> = []
        func visit(_ value: JSONValue) {
            if let name = value["$ref"]?.stringValue {
                let definition = String(name.dropFirst("#/$defs/".count))
                if schema["$defs"]?[definition] == nil { missing.insert(definition) }
            }
            for member in value.objectValue?.members ?? [] { visit(member.value) }
            for element in value.arrayValue ?? [] { visit(element) }
        }
        visit(schema)
        #expect(missing == [])
    }
}
