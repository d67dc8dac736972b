// Requests and answers as a trace shows them.

/// A value in a trace: text, or what stands for a secret.
public enum TracedValue: Sendable, Hashable {
    /// As it was, with secrets inside of it replaced.
    case text(String)
    /// Wire name, length in bytes, and a fingerprint that is comparable within one run only; without length and
    /// fingerprint in a dry run.
    case secret(kind: String, length: Int?, fingerprint: String?)
    /// An authorization scheme or similar public word before a secret.
    case prefixed(String, kind: String, length: Int?, fingerprint: String?)
}

/// A named value, with where it comes from.
public struct TracedParameter: Sendable, Hashable {
    /// As on the wire, or as the flow has it.
    public let name: String
    /// Masked where it is secret or says something of a person.
    public let value: TracedValue
    /// Where it comes from, as a person reads it: `acme.yaml:12`, `step authorize`, `registration`.
    public let source: String
    /// The rule that asks for it; `nil` where none does.
    public let reference: String?

    package init(
        name: String, value: TracedValue, source: String, reference: String?
    ) {
        self.name = name
        self.value = value
        self.source = source
        self.reference = reference
    }
}

/// A request of a step.
public struct TracedRequest: Sendable, Hashable {
    /// `authorization`, `token`, `refresh`, `userinfo`, `discovery`, `jwks`.
    public let purpose: String
    /// Such as `POST`.
    public let method: String
    /// The URL, with the query that is a part of it; what the engine adds is in `query`.
    public var endpoint: String
    /// In the order in which they are sent.
    public let query: [TracedParameter]
    /// Header fields, without those that every request of the program has.
    public let fields: [TracedParameter]
    /// Parameters of the body; a document that the flow has made itself is one, named `(body)`.
    public let body: [TracedParameter]
    /// How the body is written: `form`, `json`, `query` where its parameters go into the query instead, or `none`.
    public let bodyFormat: String
    /// What says where the request goes, as a parameter's `source`; `nil` where the flow does.
    public var endpointSource: String?

    package init(
        purpose: String, method: String, endpoint: String, query: [TracedParameter],
        fields: [TracedParameter], body: [TracedParameter], bodyFormat: String, endpointSource: String? = nil
    ) {
        self.purpose = purpose
        self.method = method
        self.endpoint = endpoint
        self.query = query
        self.fields = fields
        self.body = body
        self.bodyFormat = bodyFormat
        self.endpointSource = endpointSource
    }
}

/// An answer to a request of a step.
public struct TracedResponse: Sendable, Hashable {
    /// Of HTTP (RFC 9110 §15).
    public let status: Int
    /// The field as it came; `nil` where the answer has none.
    public let contentType: String?
    /// Length of the body.
    public let bytes: Int
    /// Top-level members of a JSON answer; secrets and personal data masked.
    public let members: [TracedParameter]
    /// Milliseconds; `nil` in a dry run.
    public let duration: Int64?
    /// The header fields that hold nothing secret.
    public var fields: [TracedParameter] = []
    /// Where the duration went; `nil` in a dry run.
    public var phases: ExchangePhases?

    package init(
        status: Int, contentType: String?, bytes: Int, members: [TracedParameter], duration: Int64?,
        fields: [TracedParameter] = [], phases: ExchangePhases? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.bytes = bytes
        self.members = members
        self.duration = duration
        self.fields = fields
        self.phases = phases
    }
}

/// Milliseconds from the beginning of an exchange to the end of each of its phases.
///
/// A phase that did not take place, as on a connection that was open already, ends with the one before it.
public struct ExchangePhases: Sendable, Hashable {
    /// The name had an address.
    public let resolved: Int64
    /// TCP was connected.
    public let connected: Int64
    /// TLS was agreed.
    public let secured: Int64
    /// The first byte of the answer was there.
    public let answered: Int64

    /// Each counted from the beginning of the exchange.
    package init(resolved: Int64, connected: Int64, secured: Int64, answered: Int64) {
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
        self.answered = answered
    }
}
