internal import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// Request, answer and times of an entry of an HTTP archive.
struct ArchiveMessage: Sendable {
    private let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    /// The version that every request is sent with.
    private static let httpVersion: JSONValue = "HTTP/1.1"

    /// The port of the peer, which viewers group entries by.
    var connection: String? {
        let host = exchange.host
        guard let colon = host.lastIndex(of: ":"), Int(host[host.index(after: colon)...]) != nil else {
            return nil
        }
        return String(host[host.index(after: colon)...])
    }

    // MARK: Request

    var request: JSONObject {
        let traced = exchange.request
        var request: JSONObject = [
            "method": .string(traced.method),
            "url": .string(URLText.of(traced)),
            "httpVersion": Self.httpVersion,
            "cookies": [],
            "headers": Self.pairs(traced.fields + contentType),
            "queryString": Self.pairs(URLText.query(of: traced)),
            "headersSize": -1,
            "bodySize": -1,
        ]
        if let body { request["postData"] = .object(body) }
        return request
    }

    /// The field that goes with a body; viewers show the parameters of a form by it.
    private var contentType: [TracedParameter] {
        guard let type = body?["mimeType"]?.stringValue,
            !exchange.request.fields.contains(where: { $0.name.lowercased() == "content-type" })
        else { return [] }
        return [
            TracedParameter(name: "Content-Type", value: .text(type), source: "protocol", reference: nil)
        ]
    }

    /// As text alone: the format has either that or `params`, and viewers read a form out of the text.
    private var body: JSONObject? {
        let traced = exchange.request
        guard URLText.hasBody(traced) else { return nil }
        switch traced.bodyFormat {
        case "form":
            let text = traced.body.map {
                "\(PercentEncoding.encodeForm($0.name))=\(PercentEncoding.encodeForm($0.value.plain))"
            }
            return [
                "mimeType": "application/x-www-form-urlencoded",
                "text": .string(text.joined(separator: "&")),
            ]
        case "json":
            return [
                "mimeType": "application/json", "text": .string(BodyText.json(ofRequest: traced.body)),
            ]
        default: return nil
        }
    }

    private static func pairs(_ parameters: [TracedParameter]) -> JSONValue {
        .array(parameters.map { ["name": .string($0.name), "value": .string($0.value.plain)] })
    }

    // MARK: Answer

    var response: JSONObject {
        switch exchange.answer {
        case .response(let response, _): Self.response(response)
        case .failure(let cause, let delivered, let message, _):
            Self.failure(
                cause, "\(message) (the request \(delivered ? "may have arrived" : "did not arrive"))")
        case nil: Self.noResponse("no answer in the trace")
        }
    }

    private static func response(_ response: TracedResponse) -> JSONObject {
        var content: JSONObject = [
            "size": .int(Int64(response.bytes)), "mimeType": .string(response.contentType ?? ""),
        ]
        if !response.members.isEmpty {
            content["text"] = .string(BodyText.json(ofAnswer: response.members))
            content["comment"] = "the members as the trace shows them"
        }
        return [
            "status": .int(Int64(response.status)),
            "statusText": .string(HTTPStatusText.of(response.status)),
            "httpVersion": httpVersion,
            "cookies": [],
            "headers": pairs(response.fields),
            "content": .object(content),
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": .int(Int64(response.bytes)),
        ]
    }

    /// An answer that there is none of, and why.
    static func noResponse(_ comment: String) -> JSONObject {
        [
            "status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
            "content": ["size": 0, "mimeType": "x-unknown"], "redirectURL": "", "headersSize": -1,
            "bodySize": -1, "comment": .string(comment),
        ]
    }

    /// `_error` is where browsers write and read why a request failed.
    private static func failure(_ cause: String, _ message: String) -> JSONObject {
        var response = noResponse(message)
        response["_error"] = .string(cause)
        return response
    }

    // MARK: Times

    /// Of what nobody measured: all parts are there and none took place.
    static let noTimings = timings(dns: -1, connect: -1, ssl: -1, wait: 0, receive: 0)

    /// In milliseconds; -1 for a part that did not take place. `connect` includes `ssl`, as the format has it.
    var timings: JSONObject {
        guard let response = exchange.response, let total = response.duration, let phases = response.phases
        else { return Self.timings(dns: -1, connect: -1, ssl: -1, wait: exchange.duration, receive: 0) }
        let part = { (length: Int64) in length > 0 ? length : -1 }
        return Self.timings(
            dns: part(phases.resolved), connect: part(phases.secured - phases.resolved),
            ssl: part(phases.secured - phases.connected), wait: max(0, phases.answered - phases.secured),
            receive: max(0, total - phases.answered))
    }

    private static func timings(
        dns: Int64, connect: Int64, ssl: Int64, wait: Int64, receive: Int64
    ) -> JSONObject {
        [
            "blocked": -1, "dns": .int(dns), "connect": .int(connect), "ssl": .int(ssl), "send": 0,
            "wait": .int(wait), "receive": .int(receive),
        ]
    }
}
