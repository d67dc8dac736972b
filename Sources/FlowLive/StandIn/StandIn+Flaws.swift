internal import FlowEngine
internal import FlowLanguage
internal import FlowSandbox
internal import JOSE
internal import OAuthProtocol

/// What a request gets wrong that every provider would refuse, before anybody looks at what it says.
extension StandIn {
    /// - Returns: `nil` for a request for tokens that is written as one may be.
    /// - SeeAlso: RFC 6749 §3.2
    func refusal(ofForm request: ServerRequest) -> HTTPResponse? {
        let dialects = [descriptor.token, descriptor.refresh.operation, descriptor.grant].map(\.request)
        let methods = dialects.map { ($0.method ?? .post).rawValue }.uniqued
        guard methods.contains(request.method) else {
            return Self.methodNotAllowed(methods.joined(separator: ", "))
        }
        // Where the address holds the parameters, the body is nobody's.
        let isBody = dialects.allSatisfy { [nil, .form, .json].contains($0.bodyFormat) }
        let flaw = isBody ? Self.flaw(ofBody: request) : nil
        let repeated = StandInRequest(request, descriptor.token.request).repeated.first
        guard let words = flaw ?? repeated.map({ "the parameter \($0) came more than once" }) else {
            return nil
        }
        return voice.refusal(
            ["error": "invalid_request", "error_description": .string(words)], status: 400,
            fields: Self.noStore, descriptor.token.response)
    }

    private static func flaw(ofBody request: ServerRequest) -> String? {
        guard !request.body.isEmpty else { return nil }
        let type = request.field("Content-Type")?.prefix { $0 != ";" }.filter { $0 != " " } ?? ""
        let isObject = (try? JSON.parse(request.body))?.objectValue != nil
        switch type.lowercased() {
        case FormBody.contentType where isObject: return "the body is JSON, and its Content-Type says a form"
        case FormBody.contentType:
            return FormBody.parse(request.body) == nil
                ? "the body is no form: an escape is broken, or a text is not UTF-8" : nil
        case "application/json": return isObject ? nil : "the body is not one JSON object"
        default: return "the body must be \(FormBody.contentType)"
        }
    }

    /// - Returns: `nil` for an authorization request that is written as one may be.
    /// - SeeAlso: RFC 6749 §3.1
    func refusal(ofQuery request: ServerRequest, now: Int64) -> SandboxReply? {
        let isWritten = QueryItems.parse(request.query ?? "") != nil
        return isWritten && ["GET", "HEAD", "POST"].contains(request.method)
            ? nil : unchanged(request, .authorization, now)
    }

    /// RFC 6749 §5.1.
    static let noStore = [HTTPField("Cache-Control", "no-store"), HTTPField("Pragma", "no-cache")]

    private static func methodNotAllowed(_ methods: String) -> HTTPResponse {
        let type = HTTPField("Content-Type", "text/plain; charset=utf-8")
        return HTTPResponse(
            status: 405, fields: [type, HTTPField("Allow", methods)],
            body: Array("This endpoint answers \(methods) only.\n".utf8))
    }
}
