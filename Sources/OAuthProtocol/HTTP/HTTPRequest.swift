/// The methods that OAuth and OpenID Connect messages use, and those of other resources.
package enum HTTPMethod: String, Sendable, Hashable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case head = "HEAD"

    /// Whether a request of it has a body, if only an empty one (RFC 9110 §9.3).
    package var hasContent: Bool {
        switch self {
        case .post, .put, .patch: true
        case .get, .delete, .head: false
        }
    }
}

/// One header field, its name as it is sent.
package struct HTTPField: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension HTTPField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its value may be a credential.
    package var description: String { "‹\(name): \(value.utf8.count) B›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// A request ready for the socket; it may hold credentials, so its descriptions show only its shape.
package struct HTTPRequest: Sendable, Hashable {
    package let method: HTTPMethod
    /// Absolute URL with its query; no fragment.
    package let url: String
    package let fields: [HTTPField]
    /// `nil` for a request without one.
    package let body: [UInt8]?

    package init(method: HTTPMethod, url: String, fields: [HTTPField], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        "‹\(method.rawValue) \(url.prefix { $0 != "?" }), \(fields.count) fields, \(body?.count ?? 0) B›"
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
