/// The port of the redirect URI of a dry run, which no listener has chosen: a variable of the script.
enum LoopbackPort {
    private static let hosts = ["127.0.0.1", "localhost", "[::1]", "%5B::1%5D", "%5B%3A%3A1%5D"]
    /// In front of the port and behind it, also as they stand in a query.
    private static let places = hosts.flatMap { host in
        [":", "%3A"].flatMap { colon in ["/", "%2F"].map { (front: host + colon, end: $0) } }
    }
    private static let reference = "${PORT}"

    /// For the head of a script, and for a command by itself.
    static let definition = "PORT=${PORT:-8080}\n"
    static let comment = """
        # The port of the redirect URI: a run takes one that is free. Nothing needs to listen there, the address that the
        # browser ends at is enough; where the provider compares ports, set PORT to the one that is registered.

        """

    /// A word between single quotes.
    static func inSingleQuotes(_ word: String) -> String { replaced(word, "'\"\(reference)\"'") }

    /// What stands between double quotes.
    static func inDoubleQuotes(_ text: String) -> String { replaced(text, reference) }

    static func isNamed(in script: String) -> Bool { script.contains(reference) }

    private static func replaced(_ text: String, _ variable: String) -> String {
        guard text.contains("PORT") else { return text }
        return places.reduce(text) { text, place in
            text.replacing("\(place.front)PORT\(place.end)", with: "\(place.front)\(variable)\(place.end)")
        }
    }
}
