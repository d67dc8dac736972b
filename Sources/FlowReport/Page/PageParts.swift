internal import FlowEngine

/// Small parts that several sections of the page have.
enum PageParts {
    enum Tone: String, Sendable {
        case good, bad, warn, plain

        /// What the tone is called where colours and signs cannot be seen.
        var word: String {
            switch self {
            case .good: "passed"
            case .bad: "failed"
            case .warn: "attention"
            case .plain: "neutral"
            }
        }

        var sign: String {
            switch self {
            case .good: "✓"
            case .bad: "✗"
            case .warn: "!"
            case .plain: "·"
            }
        }
    }

    static func sign(_ tone: Tone) -> Markup {
        "<span class=\"sign \(tone.rawValue)\" aria-hidden=\"true\">\(tone.sign)</span><span class=\"hidden\">\(tone.word): </span>"
    }

    static func badge(_ text: String, _ tone: Tone = .plain) -> Markup {
        "<span class=\"badge \(tone.rawValue)\">\(text)</span>"
    }

    /// A secret's placeholder, or the text.
    static func value(_ value: TracedValue) -> Markup {
        switch value {
        case .text(""): return "<span class=\"quiet\">(empty)</span>"
        case .text(let text): return "<code>\(text)</code>"
        case .secret(let kind, let length, let fingerprint):
            return secret(kind, length, fingerprint)
        case .prefixed(let prefix, let kind, let length, let fingerprint):
            return "<code>\(prefix)</code>\(secret(kind, length, fingerprint))"
        }
    }

    private static func secret(_ kind: String, _ length: Int?, _ fingerprint: String?) -> Markup {
        let size: Markup = length.map { "<span class=\"size\">\($0) bytes</span>" } ?? .empty
        let mark: Markup = fingerprint.map { "<span class=\"print\">#\($0)</span>" } ?? .empty
        let data: Markup = fingerprint.map { " data-print=\"\($0)\"" } ?? .empty
        return "<span class=\"secret\"\(data)>‹\(kind)›\(size)\(mark)</span>"
    }

    static func reference(_ text: String?) -> Markup {
        Reference.parts(text ?? "").map { part -> Markup in
            guard let url = part.url else { return "\(part.text)" }
            return "<a href=\"\(url)\" rel=\"noreferrer\">\(part.text)</a>"
        }.joined(", ")
    }

    /// A sentence in which commands stand between backticks, or in front of what they do.
    static func prose(_ text: String) -> Markup {
        if text.hasPrefix("flowrun ") || text.hasPrefix("curl "), let gap = text.firstRange(of: "   ") {
            let rest = String(text[gap.upperBound...].drop { $0 == " " })
            return "<code>\(String(text[..<gap.lowerBound]))</code> \(prose(rest))"
        }
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        // One by itself is no pair.
        guard parts.count % 2 == 1 else { return "\(text)" }
        return parts.enumerated().map { index, part -> Markup in
            index % 2 == 0 ? "\(part)" : "<code>\(part)</code>"
        }.joined()
    }

    /// A name that may be broken where its words end.
    static func name(_ name: String) -> Markup {
        name.split(separator: "_", omittingEmptySubsequences: false).map { "\(String($0))" as Markup }
            .joined("_<wbr>")
    }

    /// A table that scrolls by itself where the window is too narrow.
    static func table(_ label: String, head: [String], _ rows: [[Markup]]) -> Markup {
        if rows.isEmpty { return .empty }
        let form: Markup =
            head.count > 4 ? " class=\"many\"" : head.count > 2 ? " class=\"wide\"" : .empty
        let cells = head.map { "<th scope=\"col\">\($0)</th>" as Markup }
        let lines = rows.map { row -> Markup in
            let first: Markup = "<th scope=\"row\">\(row.first ?? .empty)</th>"
            return "<tr>\(first)\(row.dropFirst().map { "<td>\($0)</td>" as Markup })</tr>\n"
        }
        return """
            <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table\(form)>
            <thead><tr>\(cells)</tr></thead>
            <tbody>\(lines)</tbody></table></div>

            """
    }

    /// Pairs of a name and what there is to say.
    static func facts(_ rows: [(String, Markup)]) -> Markup {
        let lines = rows.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>\n" as Markup }
        return "<dl class=\"facts\">\n\(lines)</dl>\n"
    }

    /// An instant that a kept trace has in whole seconds only.
    static func deadline(_ instant: Int64) -> Markup { time(instant - instant % 1000) }

    static func time(_ instant: Int64) -> Markup {
        let text = CalendarText.utc(instant, milliseconds: instant % 1000 != 0)
        let shown = text.replacing("T", with: " ").replacing("Z", with: " UTC")
        return "<time datetime=\"\(text)\">\(shown)</time>"
    }
}

extension StepRecord {
    /// How the step went.
    var tone: PageParts.Tone {
        guard let end else { return .bad }
        switch end.outcomeClass {
        case "success": return .good
        case "choice": return .plain
        default: return .bad
        }
    }
}

extension TracedCheck {
    var tone: PageParts.Tone {
        switch verdict {
        case .passed: .good
        case .failed: .bad
        case .notApplicable: .plain
        case .relaxed: .warn
        }
    }
}
