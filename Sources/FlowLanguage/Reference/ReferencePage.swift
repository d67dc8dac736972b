internal import YAMLText

/// The reference page of all kinds, functions and checks, as Markdown.
///
/// A file of the documentation holds exactly this text; a test says when it is out of date.
package enum ReferencePage {
    package static var markdown: String {
        """
        # Kinds, functions and checks

        What the steps of flow/1 do and how they end, what expressions can compute, and what a flow is checked for.

        ## Overview

        This page is made from the tables that the linter and the engine themselves use: \
        `flowrun kinds --markdown` writes it. `flowrun kinds KIND` shows one kind, and `flowrun explain CODE` shows a \
        wrong and a right example for a check.

        ## Kinds of steps

        \(StepKind.allCases.map { kind(KindTable.spec(of: $0)) }.joined(separator: "\n"))
        ## Functions

        \(table(["Function", "Result", "Meaning"], functions))
        ## Checks

        \(table(["Code", "Severity", "Check", "Meaning"], checks))
        """
    }

    // MARK: Kinds

    private static func kind(_ spec: KindSpec) -> String {
        var text = "### \(spec.kind.rawValue)\n\n\(sentence(spec.summary))\n\n"
        text += "```yaml\n\(KindExamples.text(of: spec.kind))\n```\n\n"
        if !spec.arguments.isEmpty {
            let rows = spec.arguments.map {
                [
                    code($0.name), KindReference.form(of: $0), $0.isRequired ? "required" : $0.standard ?? "",
                    $0.summary,
                ]
            }
            text += table(["Argument", "Form", "Default", "Meaning"], rows) + "\n"
        }
        if !spec.fields.isEmpty {
            text += table(["Field", "Type"], spec.fields.map { [code($0.name), "\($0.type)"] }) + "\n"
        }
        let outcomes = KindReference.outcomes(of: spec).map { outcomeClass, names in
            [outcomeClass.rawValue, names.map(code).joined(separator: " ")]
        }
        text += table(["Class", "Outcomes"], outcomes) + "\n"
        if spec.isOpen { text += "Further outcomes and fields are declared by the flow or its target. " }
        text += "\(sentence(KindReference.replay(of: spec))) On every outcome that is not ok: "
        return text + spec.errorFields.map { code($0.name) }.joined(separator: ", ") + ".\n"
    }

    // MARK: Functions

    private static var functions: [[String]] {
        let forms = [
            ["has(x)", "bool", FunctionNotes.note(on: "has")],
            ["if(c, a, b)", "the type of a and b", FunctionNotes.note(on: "if")],
            ["matches(string, 'pattern')", "bool", FunctionNotes.note(on: "matches")],
            ["default(x, y)", "the type of y", FunctionNotes.note(on: "default")],
        ]
        let rows = FunctionTable.rows.filter { !$0.name.hasPrefix("#") }.map { row -> [String] in
            let parameters = row.parameters.map(text).joined(separator: ", ")
            return ["\(row.name)(\(parameters))", text(row.result), FunctionNotes.note(on: row.name)]
        }
        return (forms + rows).map { [code($0[0]), $0[1], $0[2]] }
    }

    private static func text(_ parameter: FunctionRow.Parameter) -> String {
        switch parameter {
        case .oneOf(let types):
            types.map { $0 == .list(.null) ? "list" : $0.description }.joined(separator: " or ")
        case .list: "list"
        case .anything: "any"
        case .pointer: "JSON pointer"
        }
    }

    private static func text(_ result: FunctionRow.Result) -> String {
        switch result {
        case .type(let type): type.description
        case .element: "optional element of the list"
        case .sameAsFirst: "the type of the first argument"
        }
    }

    // MARK: Checks

    private static var checks: [[String]] {
        FlowRule.all.sorted { $0.code < $1.code }.map {
            [code($0.code), $0.severity.rawValue, $0.title, $0.explanation]
        }
    }

    // MARK: Markdown

    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| \($0.map(cell).joined(separator: " | ")) |\n" }.joined()
    }

    private static func cell(_ text: String) -> String {
        let text = text.replacing("|", with: "\\|").replacing("\n", with: " ")
        // In code an angle bracket is itself; elsewhere it would begin a tag.
        return text.hasPrefix("`") ? text : text.replacing("<", with: "\\<")
    }

    static func code(_ text: String) -> String { "`\(text)`" }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}

/// What each function of the expression language is for, in a few words.
enum FunctionNotes {
    /// - Returns: Empty for a function of which its name says enough.
    static func note(on function: String) -> String { notes[function] ?? "" }

    private static let notes: [String: String] = [
        "has": "whether the value is set and not null; inside the condition it then counts as set",
        "if": "the second argument when the condition holds, else the third; only one is evaluated",
        "default": "the first argument, or the second when it is not set; the same as ??",
        "length": "characters of a text, elements of a list, members of a map",
        "lower": "ASCII letters in lower case", "upper": "ASCII letters in upper case",
        "trim": "without ASCII white space at both ends",
        "starts_with": "case-sensitive", "ends_with": "case-sensitive", "contains": "case-sensitive",
        "matches": "whether the whole text matches a pattern of RFC 9485, which must be a literal",
        "before": "the text before the first separator", "after": "the text after the first separator",
        "split": "at every separator", "join": "with a separator between the elements",
        "replace": "every occurrence of a literal text",
        "int": "not set when the value is no integer",
        "number": "not set when the value is no number as JSON writes it",
        "bool": "true and false, also as texts", "string": "the usual text of the value",
        "time": "seconds since 1970, or RFC 3339", "duration": "seconds, or as in a flow: 20s, 5m",
        "url": "not set when the text is no absolute URL",
        "json": "the value of a JSON text", "to_json": "the value as a JSON text",
        "get": "the member at a JSON pointer (RFC 6901)", "keys": "names of the members, sorted",
        "first": "the first element", "includes_all": "whether the first list has all of the second",
        "includes_any": "whether the first list has some of the second",
        "minus": "the elements of the first list that the second has not",
        "union": "the elements of both lists, each once",
        "origin": "scheme, host and port", "host": "the host alone",
        "same_origin": "whether scheme, host and port are the same",
        "allowed_url":
            "the URL when the list allows it: an address allows itself, one that ends in /* all below it",
        "with_query": "the URL with further parameters, percent-encoded",
        "form": "the members as a form body",
        "prefix": "the first characters", "urlencode": "percent-encoded (RFC 3986 §2)",
        "base64url": "without padding (RFC 4648 §5)", "base64": "with padding (RFC 4648 §4)",
        "hex": "lower-case digits", "sha256": "the digest; of secrets too",
        "hmac_sha256": "of the second argument under the key of the first",
        "md5": "legacy, for providers that sign with it; lint says so (FL107)",
        "rsa_sha256":
            "RSASSA-PKCS1-v1_5 over the second argument by the key of the first: PEM, or what is between its lines",
        "pairs":
            "names and values, sorted by name: the second argument between both, the third between pairs; none that is "
            + "empty",
        "fingerprint": "tells whether two values are the same without showing them",
        "mask_email": "all but the first letter and the domain",
    ]
}
