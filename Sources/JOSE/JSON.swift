/// Reading JSON: exactly one value in valid UTF-8, no member named twice, nothing after it.
///
/// - SeeAlso: RFC 8259
package enum JSON {
    /// Reads one value.
    ///
    /// - Throws: `JSONError` with the first thing that is wrong.
    package static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, limits: limits, maker: JSONTreeMaker())
        return try parser.document()
    }

    package static func parse(
        _ bytes: some Collection<UInt8>, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        let result = withBytes(of: bytes) { bytes in
            Result { () throws(JSONError) in try parse(bytes, limits: limits) }
        }
        return try result.get()
    }

    package static func parse(
        _ text: String, limits: JSONLimits = .default
    ) throws(JSONError) -> JSONValue {
        try parse(text.utf8, limits: limits)
    }
}
