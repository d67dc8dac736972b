internal import JOSE
internal import OAuthProtocol

/// The kinds of answer that several endpoints give.
enum Answer {
    static let noStore = [HTTPField("Cache-Control", "no-store"), HTTPField("Pragma", "no-cache")]

    static func json(_ object: JSONObject, status: Int = 200, fields: [HTTPField] = noStore) -> HTTPResponse {
        let type = HTTPField("Content-Type", "application/json")
        return HTTPResponse(status: status, fields: [type] + fields, body: object.serializedBytes)
    }

    static func text(_ status: Int, _ text: String, fields: [HTTPField] = []) -> HTTPResponse {
        let type = HTTPField("Content-Type", "text/plain; charset=utf-8")
        return HTTPResponse(status: status, fields: [type] + noStore + fields, body: Array("\(text)\n".utf8))
    }

    /// 303, so that no browser repeats a POST with the password at the client (RFC 9700 §4.12).
    static func seeOther(_ location: String) -> HTTPResponse {
        let fields = [HTTPField("Location", location), HTTPField("Referrer-Policy", "no-referrer")]
        return HTTPResponse(status: 303, fields: fields + noStore)
    }

    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        text(405, "This endpoint answers \(allowed) only.", fields: [HTTPField("Allow", allowed)])
    }

    static func body(_ type: String, _ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, fields: [HTTPField("Content-Type", type)] + noStore, body: Array(text.utf8))
    }

    /// - SeeAlso: RFC 6749 §5.2
    static func oauthError(_ code: String, _ description: String, fields: [HTTPField] = []) -> HTTPResponse {
        json(
            ["error": .string(code), "error_description": .string(description)],
            status: code == "invalid_client" ? 401 : 400, fields: noStore + fields)
    }
}
