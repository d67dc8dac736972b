/// Where a parameter of a request comes from; a trace shows it beside the value.
package enum ParameterSource: Sendable, Hashable {
    /// The protocol demands it; the parameter's `reference` says which section.
    case specification
    /// An earlier or the same step of the run made it.
    case step(String)
    /// The client's registration with the provider.
    case registration
    /// An option of the command line.
    case commandLine
    /// An environment variable, by its name.
    case environment(String)
    /// A line of the provider's descriptor, as `acme.yaml:12`.
    case descriptor(String)
    /// The provider's published metadata.
    case metadata
    /// A line of the flow, as `login.flow.yaml:31`.
    case flow(String)
    /// A hook of the flow, by its id.
    case hook(String)
    /// Each has added a part, in this order.
    indirect case several([ParameterSource])
}

/// The value of a parameter: public text, or a secret that stays one until it is encoded.
package enum ParameterValue: Sendable, Equatable {
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
package struct RequestParameter: Sendable, Equatable {
    package var name: String
    package var value: ParameterValue
    package var source: ParameterSource
    /// Section that asks for it, such as `RFC 6749 §4.1.3`; `nil` where only the descriptor does.
    package var reference: String?

    package init(
        _ name: String, _ value: ParameterValue, _ source: ParameterSource, _ reference: String? = nil
    ) {
        self.name = name
        self.value = value
        self.source = source
        self.reference = reference
    }
}

/// How the parameters of a request body are written.
package enum BodyFormat: String, Sendable, Hashable, CaseIterable {
    case form
    case json
    /// All body parameters go into the query instead.
    case query
    case none
}

/// A request as it is meant: every parameter with its origin, before anything is encoded.
package struct RequestPlan: Sendable, Equatable {
    package var method: HTTPMethod
    /// Absolute URL; a query that it already has is kept in front.
    package var endpoint: String
    /// What says so; `nil` where the flow itself does.
    package var endpointSource: ParameterSource?
    package var query: [RequestParameter]
    package var fields: [RequestParameter]
    package var body: [RequestParameter]
    package var bodyFormat: BodyFormat
    /// Names of query parameters whose reserved characters are sent as they are; they come last.
    package var raw: Set<String> = []
    /// What comes between the endpoint and the query, after `#`; for URLs that a browser opens.
    package var fragment: String?
    /// What comes after the query, after `#`; for URLs that a browser opens.
    package var trailingFragment: String?
    /// A JSON body that is no object, in place of `body`.
    package var document: JSONPayload?

    package init(
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
