/// libyaml's complaint in our words.
struct YAMLSyntaxMessage {
    static let code = "FL001"

    let text: String
    let hint: String?

    /// - Parameter character: What stands where reading stopped, `nil` at the end of the file.
    init(_ error: YAMLSyntaxError, character: Unicode.Scalar?) {
        let shown = character.map { "\"\($0)\"" } ?? "the end of the file"
        (text, hint) =
            switch error.problem {
            case "found character that cannot start any token", "found unexpected ':'":
                ("a plain value cannot start with \(shown)", "put the value in quotes")
            case "mapping values are not allowed in this context":
                (
                    "\":\" is not allowed here",
                    "put a value that contains \": \" in quotes; check the indentation"
                )
            case "block sequence entries are not allowed in this context":
                ("\"-\" is not allowed here", "start a list on a line of its own, or write it in [ ]")
            case "mapping keys are not allowed in this context":
                ("\"?\" is not allowed here", "put the value in quotes")
            case "did not find expected key":
                ("expected a key, found \(shown)", "keys of one mapping start in the same column")
            case "did not find expected '-' indicator":
                ("expected \"-\", found \(shown)", "items of one list start in the same column")
            case "did not find expected ',' or '}'":
                ("expected \",\" or \"}\", found \(shown)", nil)
            case "did not find expected ',' or ']'":
                ("expected \",\" or \"]\", found \(shown)", nil)
            case "did not find expected node content":
                ("expected a value, found \(shown)", nil)
            case "did not find expected <document start>":
                (
                    "expected the end of the file, found \(shown)",
                    "keys of one mapping start in the same column"
                )
            case "found unexpected document indicator":
                ("a document ends inside quoted text", nil)
            case "found unknown escape character":
                ("unknown escape in double-quoted text", "write \\\\ for a backslash, or use single quotes")
            case "did not find expected hexdecimal number", "found invalid Unicode character escape code":
                ("wrong character code in double-quoted text", "\\x takes 2 hexadecimal digits, \\u takes 4")
            case "did not find expected alphabetic or numeric character":
                ("a plain value cannot start with \"*\" or \"&\"", "put the value in quotes")
            case "did not find expected comment or line break":
                (
                    "expected the end of the line, found \(shown)",
                    "the text of a block starts on the next line"
                )
            case "found an indentation indicator equal to 0":
                ("the indentation of a block cannot be 0", nil)
            default: (error.problem, nil)
            }
    }
}

extension YAMLSyntaxError {
    /// Whether the ":" of a key is missing.
    var missesColon: Bool { problem == "could not find expected ':'" }

    /// What libyaml says it was reading, named for a reader; `nil` where that says nothing.
    var opened: String? {
        switch context {
        case "while parsing a flow mapping": "\"{\""
        case "while parsing a flow sequence": "\"[\""
        case "while parsing a block mapping": "mapping"
        case "while parsing a block collection": "list"
        case "while scanning a quoted scalar", "while parsing a quoted scalar": "quoted text"
        case "while scanning a block scalar": "block of text"
        case "while scanning a simple key": "key"
        default: nil
        }
    }

    /// True for a malformed tag: tags are refused whatever their form.
    var concernsTag: Bool {
        switch context {
        case "while scanning a tag", "while parsing a tag": true
        default: problem == "found undefined tag handle"
        }
    }
}
