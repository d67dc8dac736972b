/// Where a parameter of a request comes from; a trace shows it beside the value.
public enum ParameterSource: Sendable, Hashable {
    /// The protocol demands it; the parameter's `reference` says which section.
    case specification
    /// An earlier or the same step of the run made it.
    case step(String)
    /// The client's registration with the provider.
    case registration
    /// A line of the provider's descriptor, as `acme.yaml:12`.
    case descriptor(String)
    /// The provider's published metadata.
    case metadata
    /// A line of the flow, as `login.flow.yaml:31`.
    case flow(String)
    /// A hook of the flow, by its id.
    case hook(String)
}

/// The value of a parameter: public text, or a secret that stays one until it is encoded.
public enum ParameterValue: Sendable, Hashable {
    case text(String)
    case secret(Secret)
    /// HTTP Basic credentials, joined and base64-encoded only when the request is (RFC 7617 §2).
    ///
    /// The form encoding that RFC 6749 §2.3.1 asks for has been applied.
    case basic(user: String, password: Secret)
    /// An authorization scheme with a token, such as `Bearer` (RFC 6750 §2.1).
    case scheme(String, Secret)
    /// A member of a JSON body that is no text.
    indirect case json(JSONPayload)
}

/// One parameter of a request with its origin and the rule that asks for it.
public struct RequestParameter: Sendable, Hashable {
    public var name: String
    public var value: ParameterValue
    public var source: ParameterSource
    /// Section that asks for it, such as `RFC 6749 §4.1.3`; `nil` where only the descriptor does.
    public var reference: String?

    public init(
        _ name: String, _ value: ParameterValue, _ source: ParameterSource, _ reference: String? = nil
    ) {
        self.name = name
        self.value = value
        self.source = source
        self.reference = reference
    }
}

/// How the parameters of a request body are written.
public enum BodyFormat: String, Sendable, Hashable, CaseIterable {
    case form
    case json
    /// All body parameters go into the query instead.
    case query
    case none
}

/// A request as it is meant: every parameter with its origin, before anything is encoded.
public struct RequestPlan: Sendable, Hashable {
    public var method: HTTPMethod
    /// Absolute URL; a query that it already has is kept in front.
    public var endpoint: String
    /// What says so; `nil` where the flow itself does.
    public var endpointSource: ParameterSource?
    public var query: [RequestParameter]
    public var fields: [RequestParameter]
    public var body: [RequestParameter]
    public var bodyFormat: BodyFormat
    /// Names of query parameters whose reserved characters are sent as they are; they come last.
    public var raw: Set<String> = []
    /// What comes between the endpoint and the query, after `#`; for URLs that a browser opens.
    public var fragment: String?
    /// A JSON body that is no object, in place of `body`.
    public var document: JSONPayload?

    public init(
        method: HTTPMethod, endpoint: String, query: [RequestParameter] = [], fields: [RequestParameter] = [],
        body: [RequestParameter] = [], bodyFormat: BodyFormat = .none
    ) {
        self.method = method
        self.endpoint = endpoint
        self.query = query
        self.fields = fields
        self.body = body
        self.bodyFormat = bodyFormat
    }
}
