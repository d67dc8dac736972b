internal import JOSE

/// A span as OTLP/HTTP takes it in JSON: identifiers are hexadecimal, 64-bit numbers are texts, enumerations numbers.
///
/// - SeeAlso: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>
struct Span: Sendable {
    /// Numbers of the protocol's `SpanKind`.
    enum Kind: Int64, Sendable {
        case `internal` = 1
        case client = 3
    }

    /// Numbers of the protocol's `StatusCode`.
    enum Status: Sendable {
        case unset
        case ok
        case error(String)
    }

    struct Event: Sendable {
        let name: String
        /// Milliseconds since 1970.
        let time: Int64
        let attributes: [Attribute]
    }

    struct Attribute: Sendable {
        let key: String
        let value: JSONObject

        static func text(_ key: String, _ value: String) -> Attribute {
            Attribute(key: key, value: ["stringValue": .string(value)])
        }

        static func number(_ key: String, _ value: Int64) -> Attribute {
            Attribute(key: key, value: ["intValue": .string(String(value))])
        }

        static func flag(_ key: String, _ value: Bool) -> Attribute {
            Attribute(key: key, value: ["boolValue": .bool(value)])
        }

        var json: JSONValue { ["key": .string(key), "value": .object(value)] }
    }

    let traceID: String
    let id: String
    let parent: String?
    let name: String
    let kind: Kind
    /// Milliseconds since 1970.
    let start: Int64
    let end: Int64
    var attributes: [Attribute] = []
    var events: [Event] = []
    var status = Status.unset

    var json: JSONValue {
        var span: JSONObject = ["traceId": .string(traceID), "spanId": .string(id)]
        if let parent { span["parentSpanId"] = .string(parent) }
        span["name"] = .string(name)
        span["kind"] = .int(kind.rawValue)
        span["startTimeUnixNano"] = Self.nanoseconds(start)
        span["endTimeUnixNano"] = Self.nanoseconds(max(start, end))
        span["attributes"] = .array(attributes.map(\.json))
        if !events.isEmpty { span["events"] = .array(events.map(\.json)) }
        switch status {
        case .unset: break
        case .ok: span["status"] = ["code": 1]
        case .error(let message): span["status"] = ["code": 2, "message": .string(message)]
        }
        return .object(span)
    }

    fileprivate static func nanoseconds(_ milliseconds: Int64) -> JSONValue {
        .string(String(max(0, milliseconds)) + (milliseconds > 0 ? "000000" : ""))
    }
}

extension Span.Event {
    fileprivate var json: JSONValue {
        [
            "timeUnixNano": Span.nanoseconds(time), "name": .string(name),
            "attributes": .array(attributes.map(\.json)),
        ]
    }
}
