/// How a provider wants one request written, where that differs from the RFCs; values already evaluated.
///
/// Order of assembly (normative): standard parameters with client authentication, `parameters`, `omit`,
/// `rename` (renamed ones move last), encode, `query`, `fields`.
package struct RequestDialect: Sendable, Equatable {
    package var method: HTTPMethod?
    package var bodyFormat: BodyFormat?
    package var parameters: [RequestParameter]
    package var query: [RequestParameter]
    package var fields: [RequestParameter]
    package var omit: Set<String>
    package var rename: [String: String]
    /// Names of query parameters whose reserved characters are sent as they are, such as `+`; they come last.
    package var raw: Set<String>
    /// In place of the grant type of the RFC.
    package var grantType: RequestParameter?
    /// Whether `client_id` is sent beside credentials that name the client already.
    package var includesClientID = false

    package init(
        method: HTTPMethod? = nil, bodyFormat: BodyFormat? = nil, parameters: [RequestParameter] = [],
        query: [RequestParameter] = [], fields: [RequestParameter] = [], omit: Set<String> = [],
        rename: [String: String] = [:], raw: Set<String> = []
    ) {
        self.method = method
        self.bodyFormat = bodyFormat
        self.parameters = parameters
        self.query = query
        self.fields = fields
        self.omit = omit
        self.rename = rename
        self.raw = raw
    }

    /// Exactly what the RFCs say.
    package static let standard = RequestDialect()
}
