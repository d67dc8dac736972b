/// The manual page, made of `CommandTable` alone, in the macros of man(7).
enum ManualPage {
    /// An option of more commands than this is told once.
    private static let few = 5

    static var text: String {
        let shared = shared
        var page = ""
        page += ".TH FLOWRUN 1 \"\" \"flowrun \(VersionCommand.version)\" \"User Commands\"\n"
        // Since groff 1.23 each heading sets the adjustment anew, to that of the string AD.
        page += ".nh\n.ds AD l\n.ad l\n"
        page += ".SH NAME\nflowrun \\- run sign\\-in flows that are written in YAML\n"
        page += ".SH SYNOPSIS\n\\fBflowrun\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n"
        page += "\\fBflowrun\\fR \\fIFLOW\\fR [\\fIOPTION\\fR]...\n"
        page += ".SH DESCRIPTION\n"
        page += paragraph(
            "flowrun loads providers and flows from YAML files, checks them, and runs sign-ins over OAuth 2.0 and "
                + "OpenID Connect. The result of a command goes to standard output, everything else to standard error. "
                + "flowrun FLOW is the same as flowrun run FLOW.")
        page += ".SH COMMANDS\n"
        for spec in CommandTable.all { page += section(spec, shared) }
        page += ".SH COMMON OPTIONS\n"
        page += paragraph("The commands that take one of these name it.")
        page += shared.map(entry).joined()
        page += ".SS Options of every command\n"
        page += CommandTable.common.map(entry).joined()
        page += ".SH ENVIRONMENT\n"
        page += HelpText.environmentRows.map { entry(bold($0.left), $0.right) }.joined()
        page += ".SH FILES\n.nf\n\(lines(HelpText.files)).fi\n"
        page +=
            ".SH JSON\n"
            + JSONForms.introduction.split(separator: "\n").map { ".PP\n" + paragraph(String($0)) }.joined()
        page += JSONForms.rows.map { entry(bold($0.left), $0.right) }.joined()
        page += ".SH EXIT STATUS\n"
        page += ExitStatus.allCases.map { entry(bold(String($0.rawValue)), "\($0.name): \($0.meaning)") }
            .joined()
        return page
    }

    /// Options that many commands have, in the order of the table.
    private static var shared: [OptionSpec] {
        let all = CommandTable.all.flatMap { Array($0.options.dropLast(CommandTable.common.count)) }
        var counts: [OptionSpec: Int] = [:]
        for option in all { counts[option, default: 0] += 1 }
        var seen: Set<OptionSpec> = []
        return all.filter { (counts[$0] ?? 0) > few && seen.insert($0).inserted }
    }

    private static func section(_ spec: CommandSpec, _ shared: [OptionSpec]) -> String {
        let arguments = spec.arguments.isEmpty ? "" : " \(spec.arguments)"
        var text = ".SS \"flowrun \(escaped(spec.name + arguments))\"\n"
        text += paragraph(spec.summary.prefix(1).uppercased() + spec.summary.dropFirst() + ".")
        if !spec.notes.isEmpty { text += ".PP\n" + paragraph(spec.notes) }
        let options = spec.options.dropLast(CommandTable.common.count)
        text += options.filter { !shared.contains($0) }.map(entry).joined()
        let others = options.filter(shared.contains).map { bold("--\($0.name)") }
        if !others.isEmpty { text += ".PP\nCommon options: \(others.joined(separator: ", "))\n" }
        return text
    }

    private static func entry(_ option: OptionSpec) -> String {
        var flag = option.short.map { bold("-\($0)") + ", " } ?? ""
        flag += bold("--\(option.name)")
        if let value = option.value {
            flag += option.impliedValue == nil ? " \(italic(value))" : "[=\(italic(value))]"
        }
        let variable = option.readsEnvironment ? " (\(option.variable))" : ""
        return entry(flag, option.help + variable)
    }

    private static func entry(_ term: String, _ text: String) -> String { ".TP\n\(term)\n\(paragraph(text))" }

    // MARK: roff

    private static func paragraph(_ text: String) -> String {
        text.split(separator: "\n").map { safe(escaped(String($0))) + "\n" }.joined()
    }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".sp\n" : safe(escaped(String($0))) + "\n" }.joined()
    }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
    private static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// A dot or an apostrophe at the start of a line would be a request.
    private static func safe(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// A plain hyphen may be set as another sign, and quotes end the argument of a macro.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.value > 0x7E: result += "\\[u" + hexadecimal(scalar) + "]"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
