internal import JOSE

extension RequestPlan {
    /// The URL with its query: what the endpoint has already, then the parameters of the plan.
    ///
    /// A body that is sent as query comes first, then `query`; `raw` parameters last.
    package var url: String { trailingFragment.map { "\(address)#\($0)" } ?? address }

    private var address: String {
        let endpoint = fragment.map { "\(self.endpoint)#\($0)" } ?? self.endpoint
        let query = sentQuery
        guard !query.isEmpty else { return endpoint }
        var bytes = Array(endpoint.utf8)
        switch bytes.firstIndex(of: UInt8(ascii: "?")) {
        case nil: bytes.append(UInt8(ascii: "?"))
        case bytes.count - 1: break
        case _ where bytes.last == UInt8(ascii: "&"): break
        case _: bytes.append(UInt8(ascii: "&"))
        }
        append(query, .query, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The parameters as `name=value` with `&` between them; `raw` parameters last, with their reserved characters as
    /// they are.
    private func append(
        _ all: [RequestParameter], _ style: PercentEncoding.Style, to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        for isRaw in raw.isEmpty ? [false] : [false, true] {
            for parameter in all where raw.contains(parameter.name) == isRaw {
                if bytes.count > start { bytes.append(UInt8(ascii: "&")) }
                PercentEncoding.append(parameter.name, style, to: &bytes)
                bytes.append(UInt8(ascii: "="))
                PercentEncoding.append(parameter.value.materialized, isRaw ? .raw : style, to: &bytes)
            }
        }
    }

    /// A parameter of the plan that the endpoint's own query has too; which of the two counts nobody knows.
    package var repeatedParameter: String? {
        guard let mark = endpoint.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let own = (QueryItems.parse(endpoint[mark...].dropFirst()) ?? []).map(\.name)
        return sentQuery.first { own.contains($0.name) }?.name
    }

    private var sentQuery: [RequestParameter] { sendsBodyAsQuery ? body + query : query }

    /// The request for the socket; the only place where secrets become bytes.
    ///
    /// - Throws: `malformed` when a header field holds a control character, or the endpoint a fragment or a
    ///   character that is not printable ASCII.
    package func encoded() throws(ProtocolError) -> HTTPRequest {
        guard endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .malformed("request", detail: "the endpoint holds a character that a URL may not hold")
        }
        var encodedFields = try fields.map { field throws(ProtocolError) in try field.headerField() }
        if let type = contentType,
            !fields.contains(where: { $0.name.equalsIgnoringASCIICase("Content-Type") })
        {
            encodedFields.append(HTTPField("Content-Type", type))
        }
        return HTTPRequest(method: method, url: url, fields: encodedFields, body: content)
    }

    private var contentType: String? {
        guard !sendsBodyAsQuery else { return nil }
        switch bodyFormat {
        case .form: return FormBody.contentType
        case .json: return "application/json"
        case .query, .none: return nil
        }
    }

    /// The encoded body; a POST whose parameters are in the query has an empty one, not none.
    private var content: [UInt8]? {
        let empty: [UInt8]? = method.hasContent ? [] : nil
        guard !sendsBodyAsQuery else { return empty }
        switch bodyFormat {
        case .form:
            var bytes: [UInt8] = []
            append(body, .form, to: &bytes)
            return bytes
        case .json: return Array((document ?? bodyObject).serialized.utf8)
        case .query, .none: return empty
        }
    }

    /// The body as text, for what is computed from it; as secret as what is in it.
    package var bodyText: Secret { Secret(String(decoding: content ?? [], as: UTF8.self), kind: .other) }

    /// GET has no body (RFC 9110 §9.3.1).
    private var sendsBodyAsQuery: Bool {
        bodyFormat == .query || ((method == .get || method == .head) && bodyFormat != .none)
    }

    private var bodyObject: JSONPayload {
        .object(body.map { (name: $0.name, value: $0.value.payload) })
    }
}

extension ParameterValue {
    /// The value as it goes over the wire.
    var materialized: String {
        switch self {
        case .text(let text): text
        case .secret(let secret): secret.reveal()
        case .basic(let user, let password): "Basic " + Base64.encode("\(user):\(password.reveal())".utf8)
        case .scheme(let scheme, let secret): "\(scheme) \(secret.reveal())"
        case .json(let payload): payload.serialized
        }
    }

    /// The value as a member of a JSON body.
    fileprivate var payload: JSONPayload {
        switch self {
        case .json(let payload): payload
        case .secret(let secret): .secret(secret)
        case .text, .basic, .scheme: .value(.string(materialized))
        }
    }
}

extension RequestParameter {
    /// The parameter as a header field (RFC 9110 §5.1 and §5.5).
    func headerField() throws(ProtocolError) -> HTTPField {
        let text = value.materialized
        guard FieldName.isWellFormed(name) else {
            throw .malformed("request", detail: "a header field has a name that is not a token")
        }
        guard !FieldName.belongsToTransport(name) else {
            throw .malformed("request", detail: "header field \(name) belongs to the transport")
        }
        guard FieldName.mayHold(text) else {
            let place = if case .descriptor(let source) = source { ", of \(source)," } else { "" }
            throw .malformed(
                "request",
                detail: "header field \(name)\(place) holds a character that it may not hold, such as "
                    + "a line break; nothing was sent")
        }
        return HTTPField(name, text)
    }
}

/// RFC 9110 §5.6.2.
package func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
