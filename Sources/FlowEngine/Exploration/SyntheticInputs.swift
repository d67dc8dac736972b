package import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Values for the inputs of a flow when nobody gives any.
package enum SyntheticInputs {
    /// The default of each input, `null` where it is optional, else a value of its type.
    ///
    /// - Parameter providers: Their descriptors say which addresses are likely to be accepted.
    package static func values(of program: FlowProgram, _ providers: [BoundProvider]) -> [Value] {
        program.inputs.map { $0.standard ?? value(of: $0, providers) }
    }

    package static func value(of input: InputRow, _ providers: [BoundProvider]) -> Value {
        let places = providers.flatMap { $0.extras.resources + $0.extras.allowedRedirects }
        if input.type == .url, let first = places.first { return .string(first) }
        return value(of: input.type, input.constraints)
    }

    static func value(of type: FlowType, _ constraints: ValueConstraints?) -> Value {
        if let first = constraints?.values?.first { return first }
        switch type {
        case .string, .sensitive, .bytes: return .string("text")
        case .url: return .string("https://example.com/")
        case .secret: return .secret(Secret("synthetic secret", kind: .other))
        case .int:
            guard case .int(let least)? = constraints?.minimum else { return .int(1) }
            return .int(least)
        case .number: return .number(constraints?.minimum?.value ?? 1)
        case .bool: return .bool(false)
        case .time: return .time(1_767_225_600_000)  // 2026-01-01, as rehearsals start
        case .duration: return .duration(60_000)
        case .json: return .json(.object([:]))
        case .map: return .map([:])
        case .list(let element): return .list([value(of: element, nil)])
        case .optional, .null, .tokenset: return .null
        }
    }
}
