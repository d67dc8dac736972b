internal import OAuthProtocol

/// The parameters of a query or of a form, and which of them came twice.
struct Parameters: Sendable {
    private let items: [(name: String, value: String)]
    /// Names that came more than once, which RFC 6749 §3.1 and §3.2 forbid, in the order of their first.
    let repeated: [String]

    init(_ items: [(name: String, value: String)]) {
        self.items = items
        var seen: Set<String> = []
        var repeated: [String] = []
        for (name, _) in items where !seen.insert(name).inserted && !repeated.contains(name) {
            repeated.append(name)
        }
        self.repeated = repeated
    }

    /// `nil` when an escape is broken or a text is not UTF-8.
    init?(query: String?) {
        guard let items = QueryItems.parse(query ?? "") else { return nil }
        self.init(items)
    }

    /// `nil` when the body is not a form, by its type or by its bytes.
    init?(form request: ServerRequest) {
        let type = request.field("Content-Type")?.split(separator: ";").first.map(trimmed)
        guard type?.equalsIgnoringASCIICase(FormBody.contentType) == true,
            let items = FormBody.parse(request.body)
        else { return nil }
        self.init(items)
    }

    /// The value of that parameter; an empty one counts as none (RFC 6749 §3.1).
    subscript(name: String) -> String? {
        items.first { $0.name.hasBytes(of: name) && !$0.value.isEmpty }?.value
    }

    /// All values of a parameter that may come several times.
    func all(_ name: String) -> [String] {
        items.filter { $0.name.hasBytes(of: name) && !$0.value.isEmpty }.map(\.value)
    }

    /// Without the parameters of these names.
    func without(_ names: Set<String>) -> Parameters {
        Parameters(items.filter { !names.contains($0.name) })
    }

    /// The words of a parameter whose values are separated by spaces.
    func words(_ name: String) -> [String] {
        self[name].map { $0.split(separator: " ").map(String.init) } ?? []
    }
}

/// Without spaces and tabs at both ends.
func trimmed(_ text: Substring) -> String {
    let head = text.drop { $0 == " " || $0 == "\t" }
    let tail = head.reversed().drop { $0 == " " || $0 == "\t" }
    return String(tail.reversed())
}
