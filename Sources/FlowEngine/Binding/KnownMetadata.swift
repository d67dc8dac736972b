package import OAuthProtocol

/// The server's metadata as a run uses it: discovered, with the descriptor's facts laid over it.
///
/// Boxed, because steps and registers pass it on and it has some twenty members.
package final class KnownMetadata: Sendable {
    package let fields: ServerMetadataFields

    package init(_ fields: ServerMetadataFields) {
        self.fields = fields
    }
}
