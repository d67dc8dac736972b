import JOSE
import OAuthProtocol

/// A request as a server sees it: decoded, in an order that does not matter, comparable with a recording.
struct Wire: Hashable, CustomStringConvertible {
    struct Parameter: Hashable, Comparable, CustomStringConvertible {
        let name: String
        var value: String

        static func < (left: Parameter, right: Parameter) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }

        var description: String { "\(name)=\(value)" }
    }

    var method: String
    /// Without the query.
    var endpoint: String
    var query: [Parameter]
    /// Names in lower case.
    var headers: [String: String]
    /// The members of a form or of a JSON object.
    var body: [Parameter]

    init(method: String = "GET", url: String, headers: [String: String] = [:], body: String? = nil) {
        self.method = method
        let mark = url.firstIndex(of: "?") ?? url.endIndex
        endpoint = String(url[..<mark])
        query = Self.parameters(url[mark...].dropFirst().prefix { $0 != "#" }, plusIsSpace: false)
        self.headers = headers
        switch headers["content-type"] {
        case "application/json": self.body = Self.members(body ?? "")
        default: self.body = Self.parameters((body ?? "")[...], plusIsSpace: true)
        }
    }

    init(_ request: HTTPRequest) {
        let headers = request.fields.map { (String($0.name.lowercased()), $0.value) }
        self.init(
            method: request.method.rawValue, url: request.url,
            headers: Dictionary(headers, uniquingKeysWith: { "\($0), \($1)" }),
            body: request.body.map { String(decoding: $0, as: UTF8.self) })
    }

    private static func parameters(_ text: Substring, plusIsSpace: Bool) -> [Parameter] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { part in
                (plusIsSpace ? PercentEncoding.decodeForm(part) : PercentEncoding.decodeQuery(part))
                    ?? String(part)
            }
            return Parameter(name: texts[0], value: texts.count > 1 ? texts[1] : "")
        }.sorted()
    }

    private static func members(_ text: String) -> [Parameter] {
        // A text that is no JSON object has no members, which no expectation has either.
        let object = (try? JSON.parse(Array(text.utf8)))?.objectValue ?? [:]
        return object.map { Parameter(name: $0.key, value: $0.value.stringValue ?? $0.value.serialize()) }
            .sorted()
    }

    var description: String {
        let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return ["\(method) \(endpoint)", "query \(query)", "headers \(fields)", "body \(body)"]
            .joined(separator: "\n  ")
    }

    subscript(query name: String) -> String? {
        get { query.first { $0.name == name }?.value }
        set { Self.set(name, newValue, in: &query) }
    }

    subscript(body name: String) -> String? {
        get { body.first { $0.name == name }?.value }
        set { Self.set(name, newValue, in: &body) }
    }

    private static func set(_ name: String, _ value: String?, in parameters: inout [Parameter]) {
        parameters.removeAll { $0.name == name }
        if let value { parameters.append(Parameter(name: name, value: value)) }
        parameters.sort()
    }
}
