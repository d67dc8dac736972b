@testable import FlowLanguage

/// Keys of a file as a Markdown table: what may stand there, what holds without it, what it means.
enum ShapeTable {
    static func markdown(_ keys: [KeyShape]) -> String {
        ReferencePage.table(["Key", "Value", "Default", "Meaning"], keys.flatMap { rows($0, "") })
    }

    private static func rows(_ key: KeyShape, _ prefix: String) -> [[String]] {
        let name = prefix + key.name
        let standard = key.isRequired ? "required" : key.standard ?? ""
        let row = [ReferencePage.code(name), form(of: key.value), standard, key.summary]
        return [row] + inner(of: key.value, name).flatMap { key, prefix in rows(key, prefix) }
    }

    /// The keys below a key, with what stands before them; none where they have a section of their own.
    private static func inner(of shape: ValueShape, _ name: String) -> [(KeyShape, String)] {
        switch shape {
        case .keys(let keys): return keys.map { ($0, name + ".") }
        case .list(let item): return inner(of: item, name + "[]")
        case .ids(let value), .names(let value): return inner(of: value, name + ".NAME")
        case .either(let shapes): return shapes.flatMap { inner(of: $0, name) }
        case .named("variable", let shape): return inner(of: shape, name)
        case .named, .open, .template, .text, .bool, .condition, .duration, .byteCount, .type, .id, .flowID,
            .scalar, .endpoint, .matching, .integer, .number, .word, .selectors, .steps:
            return []
        }
    }

    private static func form(of shape: ValueShape) -> String {
        switch shape {
        case .template: "any value"
        case .text, .scalar, .matching: "text"
        case .id, .flowID: "name"
        case .type: "type"
        case .duration: "duration"
        case .byteCount: "size"
        case .bool: "true or false"
        case .condition: "condition"
        case .endpoint: "https URL"
        case .integer(let range), .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .word(let words): words.map(ReferencePage.code).joined(separator: ", ")
        case .list(let item): "list: \(form(of: item))"
        case .ids(let value), .names(let value), .selectors(let value): "names with \(form(of: value))"
        case .either(let shapes): shapes.map(form).joined(separator: ", or ")
        case .named("operation", _): "a request"
        case .named("next", _), .named("edges", _): "edges"
        case .named(_, let shape): form(of: shape)
        case .keys, .open, .steps: "mapping"
        }
    }
}

/// A table of keys under a heading, as a reference page has it.
struct ShapeSection {
    let title: String
    let text: String
    let keys: [KeyShape]

    var markdown: String { "## \(title)\n\n\(text)\n\n\(ShapeTable.markdown(keys))\n" }
}
