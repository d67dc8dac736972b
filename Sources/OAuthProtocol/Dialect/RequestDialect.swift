/// How a provider wants one request written, where that differs from the RFCs; values already evaluated.
///
/// Order of assembly (normative): standard parameters with client authentication, `parameters`, `omit`,
/// `rename` (renamed ones move last), encode, `query`, `fields`.
public struct RequestDialect: Sendable, Hashable {
    public var method: HTTPMethod?
    public var bodyFormat: BodyFormat?
    public var parameters: [RequestParameter]
    public var query: [RequestParameter]
    public var fields: [RequestParameter]
    public var omit: Set<String>
    public var rename: [String: String]
    /// Names of query parameters whose reserved characters are sent as they are, such as `+`; they come last.
    public var raw: Set<String>
    /// In place of the grant type of the RFC.
    public var grantType: RequestParameter?
    /// Whether `client_id` is sent beside credentials that name the client already.
    public var includesClientID = false

    public init(
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
    public static let standard = RequestDialect()
}
