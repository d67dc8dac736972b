/// The file by which a desktop knows a program that takes the addresses of a scheme (Desktop Entry Specification).
struct DesktopEntry: Sendable {
    let scheme: URLScheme
    /// Absolute path of the program.
    let program: String

    var text: String {
        """
        [Desktop Entry]
        Type=Application
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
        for line in text.split(separator: "\n")
        where line.hasPrefix("Exec=") && line.hasSuffix(" callback %u") {
            let quoted = line.dropFirst("Exec=".count).dropLast(" callback %u".count)
            guard quoted.hasPrefix("\"") else { return String(quoted) }
            guard quoted.hasSuffix("\""), quoted.count > 1 else { return nil }
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
    ///
    /// Only where it must be: xdg-open itself, without a desktop, takes the quotation marks for a part of the name.
    private static func quoted(_ argument: String) -> String {
        let isPlain = argument.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-+@:".utf8.contains(byte)
        }
        if isPlain { return argument }
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
