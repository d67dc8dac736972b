/// Where a rule is written: `RFC 8628 §3.2 and §3.3.1, OIDC Core §2` as links.
enum Reference {
    struct Part: Sendable, Hashable {
        let text: String
        /// `nil` for a document that is not known.
        let url: String?
    }

    static func parts(_ text: String) -> [Part] {
        var document = ""
        return text.replacing(" and §", with: ", §").split(separator: ", ").map { piece in
            let halves = piece.split(separator: "§", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves[0].trimmed
            if !name.isEmpty { document = name }
            let section = halves.count > 1 ? String(halves[1].prefix { $0 != " " }) : ""
            return Part(text: String(piece), url: url(document, section))
        }
    }

    private static func url(_ document: String, _ section: String) -> String? {
        if document.hasPrefix("RFC ") {
            let words = document.dropFirst(4).split(separator: " ")
            guard let number = words.first.flatMap({ Int($0) }) else { return nil }
            let page = "https://www.rfc-editor.org/rfc/rfc\(number)"
            if words.count == 3, words[1] == "Appendix" { return "\(page)#appendix-\(anchor(words[2]))" }
            return section.isEmpty ? page : "\(page)#section-\(anchor(section))"
        }
        guard let entry = documents.first(where: { document == $0.name }) else { return nil }
        let page = "https://openid.net/specs/\(entry.page)"
        return section.isEmpty ? page : "\(page)#\(entry.prefix)\(anchor(section))"
    }

    /// Only what can be in the number of a section.
    private static func anchor(_ text: some StringProtocol) -> String {
        String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
    }

    private static let documents: [(name: String, page: String, prefix: String)] = [
        ("OIDC Core", "openid-connect-core-1_0.html", "rfc.section."),
        ("OpenID Connect Core", "openid-connect-core-1_0.html", "rfc.section."),
        ("OIDC Discovery", "openid-connect-discovery-1_0.html", "rfc.section."),
        ("OpenID RP-Initiated Logout", "openid-connect-rpinitiated-1_0.html", "rfc.section."),
        ("OAuth 2.0 Multiple Response Types", "oauth-v2-multiple-response-types-1_0.html", "rfc.section."),
        ("FAPI 1.0 Part 2", "openid-financial-api-part-2-1_0.html", "rfc.section."),
        ("JARM", "oauth-v2-jarm.html", "section-"),
    ]
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
