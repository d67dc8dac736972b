internal import OAuthProtocol

/// What a person pasted, read as the answer to an authorization request.
enum PastedAnswer {
    /// Nothing was pasted.
    case nothing
    case parameters([(name: String, value: String)])
    /// It is no answer, in words for the person.
    case unusable(String)

    /// Reads the address that the browser ended at, or the part of it behind the question mark.
    ///
    /// Whether it bears the right `state` is not looked at.
    ///
    /// - Parameter redirectURI: Where the browser was to end.
    static func read(_ text: String, redirectURI: String, _ expectation: CallbackExpectation) -> PastedAnswer
    {
        let text = cleaned(text)
        guard !text.isEmpty else { return .nothing }
        guard let query = query(of: text, redirectURI) else {
            return .unusable(
                "the pasted address is not the one of the redirect, which begins with \(base(redirectURI))")
        }
        let parameters = QueryItems.received(query)
        let names = Set(expectation.dialect.standard(parameters).map(\.name))
        guard names.isDisjoint(with: ["code", "error", "response", "state"]) else {
            return .parameters(parameters)
        }
        // A provider that knows no state leaves nothing but the code to tell one answer from another.
        if !expectation.demand.holds(isError: false), !text.contains("://"), !text.contains("&") {
            return .parameters([("code", text)])
        }
        return .unusable(
            "the pasted text has no code and no state: paste the whole address that the browser ended at")
    }

    /// Without what terminals and mail programs put around an address.
    private static func cleaned(_ text: String) -> String {
        var text = text.replacing("\u{1B}[200~", with: "").replacing("\u{1B}[201~", with: "")[...]
        let isAround = { (character: Character) in
            character.isWhitespace || "\"'<>`".contains(character)
                || character.asciiValue.map { $0 < 0x20 } == true
        }
        while let last = text.last, isAround(last) { text.removeLast() }
        return String(text.drop(while: isAround))
    }

    /// The parameters as sent; `nil` for the address of something else.
    private static func query(of text: String, _ redirectURI: String) -> String? {
        let text = text.prefix { $0 != "#" }
        guard let question = text.firstIndex(of: "?") else {
            return text.contains("://") && base(String(text)) != base(redirectURI) ? nil : String(text)
        }
        let address = String(text[..<question])
        // Browsers leave the scheme out of what they show.
        let isRedirect = [address, "http://" + address].contains { base($0) == base(redirectURI) }
        return isRedirect || address.isEmpty ? String(text[question...].dropFirst()) : nil
    }

    /// An address as browsers write it, up to its question mark.
    private static func base(_ address: String) -> String {
        let address = String(address.prefix { $0 != "?" && $0 != "#" })
        guard let url = try? EndpointURL(address, allowLoopbackHTTP: true) else { return address }
        return url.origin + (url.path.isEmpty ? "/" : url.path)
    }
}
