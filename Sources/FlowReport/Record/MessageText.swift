internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// Addresses of requests, with placeholders where secrets were.
enum URLText {
    /// The whole address, percent-encoded.
    static func of(_ request: TracedRequest) -> String {
        let pairs = query(of: request).map {
            "\(PercentEncoding.encodeQuery($0.name))=\(PercentEncoding.encodeQuery($0.value.plain))"
        }
        return joined(request.endpoint, pairs)
    }

    /// Adds parameters to an address that may have some, and a fragment, already.
    static func joined(_ endpoint: String, _ pairs: [String]) -> String {
        let parts = endpoint.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var url = encoded(String(parts[0]))
        if !pairs.isEmpty { url += (url.contains("?") ? "&" : "?") + pairs.joined(separator: "&") }
        return parts.count > 1 ? url + "#" + encoded(String(parts[1])) : url
    }

    /// `/oauth2/token`
    static func path(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        return String(rest[slash...])
    }

    /// The parameters of the query: those of the body too where the request has none (RFC 9110 §9.3.1).
    static func query(of request: TracedRequest) -> [TracedParameter] {
        hasBody(request) ? request.query : request.query + request.body
    }

    static func hasBody(_ request: TracedRequest) -> Bool {
        let isContent = request.bodyFormat == "form" || request.bodyFormat == "json"
        return isContent && request.method != "GET" && request.method != "HEAD" && !request.body.isEmpty
    }

    /// What no URL may hold is percent-encoded: an endpoint may bear the placeholder of a secret.
    private static func encoded(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isAllowed = scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F
            if isAllowed, !"\"<>\\^`{|}".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += PercentEncoding.encodeQuery(String(scalar))
            }
        }
    }
}

/// JSON bodies as text. A trace has every value as text, so that what can be read as JSON is taken for it.
enum BodyText {
    /// The body of a request: an object of these members, or the one document that stands for the whole.
    static func json(ofRequest members: [TracedParameter]) -> String {
        if members.count == 1, members[0].name == "(body)" { return members[0].value.plain }
        return object(members) { read($0) }
    }

    /// The members of an answer; lists and objects are in a trace as their counts only.
    static func json(ofAnswer members: [TracedParameter]) -> String {
        object(members) { text in
            switch read(text) {
            case .array, .object, .string, nil: nil
            case .some(let scalar): scalar
            }
        }
    }

    private static func object(_ members: [TracedParameter], _ read: (String) -> JSONValue?) -> String {
        JSONObject(
            members.map { member in
                let text = member.value.plain
                let value = member.value.isSecret ? nil : read(text)
                return (member.name, value ?? .string(text))
            }
        ).serialize()
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).serialize() }

    private static func read(_ text: String) -> JSONValue? { try? JSON.parse(Array(text.utf8)) }
}

/// The phrases of status codes (RFC 9110 §15).
enum HTTPStatusText {
    private static let phrases = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 413: "Content Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Content",
        429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]

    static func of(_ status: Int) -> String { phrases[status] ?? "" }
}
