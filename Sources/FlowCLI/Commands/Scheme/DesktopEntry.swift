/// The file by which a desktop knows a program that takes the addresses of a scheme (Desktop Entry Specification 1.5).
struct DesktopEntry: Sendable {
    let scheme: URLScheme
    /// Absolute path of the program.
    let program: String

    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Version=1.5
        Name=flowrun (\(scheme.name))
        Comment=Hands the answer of a sign-in to the run that waits for it
        Exec=\(Self.quoted(program)) callback %u
        MimeType=\(scheme.mediaType);
        Terminal=false
        NoDisplay=true
        StartupNotify=false

        """
    }

    /// The program of an entry that this command has written; `nil` for another text.
    static func program(in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("Exec=") && line.hasSuffix(" callback %u") {
            let quoted = line.dropFirst("Exec=".count).dropLast(" callback %u".count)
            guard quoted.hasPrefix("\""), quoted.hasSuffix("\""), quoted.count > 1 else { return nil }
            var program = ""
            var isEscaped = false
            for character in quoted.dropFirst().dropLast() {
                if character == "\\", !isEscaped {
                    isEscaped = true
                } else {
                    program.append(character)
                    isEscaped = false
                }
            }
            return program
        }
        return nil
    }

    /// An argument in quotation marks, as the specification's "Exec" key wants it; `%` begins a field code there, and
    /// the value is a string in which a backslash is written twice.
    private static func quoted(_ argument: String) -> String {
        var text = "\""
        for character in argument {
            switch character {
            case "\"", "`", "$": text += "\\\\\(character)"
            case "\\": text += "\\\\\\\\"
            case "%": text += "%%"
            default: text.append(character)
            }
        }
        return text + "\""
    }
}
