internal import OAuthProtocol
internal import YAMLText

/// Header fields that a file writes, by name and as far as their text stands in it: FL016, FL058.
enum HeaderFieldRule {
    /// - Parameter report: Takes the code, the place and the message.
    static func check(
        _ entries: [YAMLMapping.Entry], _ report: (String, SourceSpan, String) -> Void
    ) {
        for entry in entries {
            if !FieldName.isWellFormed(entry.key) {
                report(
                    "FL016", entry.keySpan,
                    "\"\(entry.key)\" is not the name of a header field (RFC 9110 §5.1)")
            } else if FieldName.belongsToTransport(entry.key) {
                report(
                    "FL058", entry.keySpan, "\"\(entry.key)\" is written by the transport (RFC 9112 §6.3)")
            }
            if let text = entry.value.scalar?.text, !FieldName.mayHold(text) {
                report(
                    "FL016", entry.value.span,
                    "a header field holds printable ASCII in one line (RFC 9110 §5.5)")
            }
        }
    }
}
