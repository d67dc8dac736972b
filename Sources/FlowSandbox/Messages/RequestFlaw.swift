/// An error code and its description, before it is known how it is sent.
struct RequestFlaw: Error, Sendable, Hashable {
    let code: String
    /// ASCII without quotes and backslashes, as RFC 6749 §5.2 wants it; never holds a value of the request.
    let description: String

    init(_ code: String, _ description: String) {
        self.code = code
        self.description = description
    }

    static func invalidRequest(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_request", description)
    }

    static func invalidGrant(_ description: String) -> RequestFlaw {
        RequestFlaw("invalid_grant", description)
    }
}
