/// `mimeapps.list`: which program opens what, as the user wants it (MIME Applications Associations 1.0).
///
/// Lines of others stay as they are, also those that cannot be read.
struct MediaTypeDefaults: Sendable {
    private var lines: [String]
    private static let group = "[Default Applications]"

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The first desktop file for a media type; `nil` when none is set.
    func program(for mediaType: String) -> String? {
        guard let line = place(of: mediaType) else { return nil }
        let value = lines[line].drop { $0 != "=" }.dropFirst()
        return value.split(separator: ";").first.map { String($0).trimmed }
    }

    mutating func set(_ mediaType: String, to desktopFile: String) {
        let line = "\(mediaType)=\(desktopFile);"
        if let place = place(of: mediaType) {
            lines[place] = line
        } else if let header = lines.firstIndex(where: { $0.trimmed == Self.group }) {
            lines.insert(line, at: header + 1)
        } else {
            if !lines.isEmpty { lines.append("") }
            lines += [Self.group, line]
        }
    }

    mutating func remove(_ mediaType: String) {
        if let place = place(of: mediaType) { lines.remove(at: place) }
    }

    private func place(of mediaType: String) -> Int? {
        var isInside = false
        for (number, line) in lines.enumerated() {
            if line.trimmed.hasPrefix("[") {
                isInside = line.trimmed == Self.group
            } else if isInside, String(line.prefix { $0 != "=" }).trimmed == mediaType {
                return number
            }
        }
        return nil
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text.drop(while: \.isWhitespace))
    }
}
