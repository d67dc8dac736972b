/// A request that one of our own loopback servers received: the callback listener's or the sandbox's.
///
/// It may hold a code or a password, so its descriptions show only its shape.
package struct ServerRequest: Sendable, Hashable {
    /// As sent, such as `GET`.
    package let method: String
    /// Path without the query, not decoded.
    package let path: String
    /// Query without the `?`, not decoded; `nil` when the target had none.
    package let query: String?
    package let fields: [HTTPField]
    package let body: [UInt8]

    package init(
        method: String, path: String, query: String? = nil, fields: [HTTPField] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The first field of that name, compared without case (RFC 9110 §5.1).
    package func field(_ name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }
}

extension ServerRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹\(method) \(path), \(fields.count) fields, \(body.count) B›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
