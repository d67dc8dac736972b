internal import JOSE
internal import OAuthProtocol

extension FunctionTable {
    /// Conversions answer with nothing instead of failing, and take a value that may be unset.
    static let conversionFunctions: [FunctionRow] = [
        FunctionRow("string", [.anything], .type(.optional(.string))) { arguments in
            switch plain(arguments[0]) {
            case .json(.bigInteger(let digits)): .string(digits)
            case .null, .json, .list, .map, .secret: .null
            case let value: .string(TextForm.text(of: value))
            }
        },
        FunctionRow("int", [.anything], .type(.optional(.int))) { arguments in
            switch plain(arguments[0]) {
            case .int(let value): .int(value)
            case .number(let value): Int64(exactly: value).map(Value.int) ?? .null
            case .string(let text): Int64(text).map(Value.int) ?? .null
            case .null, .bool, .time, .duration, .json, .list, .map, .secret: .null
            }
        },
        FunctionRow("number", [.anything], .type(.optional(.number))) { arguments in
            switch plain(arguments[0]) {
            case .int(let value): .number(Double(value))
            case .number(let value): .number(value)
            case .string(let text): NumberText.parse(text).map(Value.number) ?? .null
            case .json(.bigInteger(let digits)): NumberText.parse(digits).map(Value.number) ?? .null
            case .null, .bool, .time, .duration, .json, .list, .map, .secret: .null
            }
        },
        // Some providers write email_verified as a text.
        FunctionRow("bool", [.anything], .type(.optional(.bool))) { arguments in
            switch plain(arguments[0]) {
            case .bool(let value): .bool(value)
            case .string("true"): .bool(true)
            case .string("false"): .bool(false)
            case .null, .int, .number, .string, .time, .duration, .json, .list, .map, .secret: .null
            }
        },
        // A text of digits is what some providers make of a number.
        FunctionRow("time", [.anything], .type(.optional(.time))) { arguments in
            switch plain(arguments[0]) {
            case .time(let value): .time(value)
            case .int(let seconds): TimeText.milliseconds(seconds).map(Value.time) ?? .null
            case .number(let seconds): Int64(exactly: (seconds * 1_000).rounded()).map(Value.time) ?? .null
            case .string(let text):
                (TimeText.parse(text) ?? Int64(text).flatMap(TimeText.milliseconds)).map(Value.time) ?? .null
            case .null, .bool, .duration, .json, .list, .map, .secret: .null
            }
        },
        // An integer counts seconds, as expires_in does.
        FunctionRow("duration", [.anything], .type(.optional(.duration))) { arguments in
            switch plain(arguments[0]) {
            case .duration(let value): .duration(value)
            case .int(let seconds): TimeText.milliseconds(seconds).map(Value.duration) ?? .null
            case .string(let text):
                (DurationText.parse(text) ?? Int64(text).flatMap(TimeText.milliseconds)).map(Value.duration)
                    ?? .null
            case .null, .bool, .number, .time, .json, .list, .map, .secret: .null
            }
        },
        FunctionRow("url", [.anything], .type(.optional(.url))) { arguments in
            guard let text = arguments.text(0), EndpointURL.check(text, allowLoopbackHTTP: true) == nil else {
                return .null
            }
            return .string(text)
        },
        FunctionRow("json", [.text], .type(.optional(.json))) { arguments in
            guard let text = arguments.text(0) else { return .null }
            // Not JSON, too deep or too large: there is no value.
            return (try? JSON.parse(text)).map(Value.json) ?? .null
        },
        FunctionRow("to_json", [.anything], .type(.string)) { arguments in
            .string(JSONForm.json(of: arguments[0]).serialize())
        },
    ]

    /// The value, a JSON scalar unwrapped.
    private static func plain(_ value: Value) -> Value {
        if case .json(let json) = value { json.isNull ? .null : JSONForm.scalar(json) } else { value }
    }
}
