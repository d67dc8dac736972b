import FlowLanguage
import JOSE
import YAMLText

/// What the naive interpreter computes with; `unknown` is everything that it does not know and never guesses.
indirect enum NaiveValue: Equatable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case time(Int)
    case duration(Int)
    case list([NaiveValue])
    case object([String: NaiveValue])
    case unknown

    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .int(Int(number))
        case .number(let number): self = .number(number)
        case .time(let instant): self = .time(Int(instant))
        case .duration(let length): self = .duration(Int(length))
        case .string(let text): self = .string(text)
        case .json(let json): self = NaiveValue(json)
        case .list(let items): self = .list(items.map { NaiveValue($0) })
        case .map(let members): self = .object(members.mapValues { NaiveValue($0) })
        case .secret: self = .unknown
        }
    }

    init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .int(Int(number))
        case .bigInteger: self = .unknown
        case .number(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .array(let items): self = .list(items.map { NaiveValue($0) })
        case .object(let object):
            self = .object(Dictionary(object.map { ($0.key, NaiveValue($0.value)) }) { $1 })
        }
    }

    /// A literal of a flow file; texts of types with a form of their own are not read.
    init(_ node: YAMLNode, type: String) {
        switch node.content {
        case .sequence(let items): self = .list(items.map { NaiveValue($0, type: "json") })
        case .mapping(let mapping):
            self = .object(
                Dictionary(mapping.entries.map { ($0.key, NaiveValue($0.value, type: "json")) }) { $1 })
        case .scalar(let scalar):
            switch scalar.value {
            case .null: self = .null
            case .bool(let flag): self = .bool(flag)
            case .int(let number): self = type == "number" ? .number(Double(number)) : .int(number)
            case .number(let number): self = .number(number)
            case .string(let text):
                self = type.contains("time") || type.contains("duration") ? .unknown : .string(text)
            }
        }
    }

    var isTrue: Bool { self == .bool(true) }
}
