internal import YAMLText

/// The word of a list that was probably meant by another.
enum WordMeant {
    /// What other languages and programs call them.
    private static let theirs = OtherNames([
        "success": ["completed", "done", "ok", "pass", "passed", "succeed", "succeeded"],
        "failure": ["abort", "aborted", "denied", "err", "error", "fail", "failed"],
        "string": ["char", "str", "text", "to_string", "tostring", "varchar"],
        "number": ["decimal", "double", "float", "real"],
        "bool": ["flag", "yesno"],
        "time": ["date", "datetime", "instant", "timestamp"],
        "url": ["link", "uri"],
        "json": ["any", "application/json", "dynamic"],
        "xml": ["application/xml", "text/xml"],
        "form": ["application/x_www_form_urlencoded", "urlencoded"],
        "milliseconds": ["millis", "ms"],
        "seconds": ["s", "sec", "secs"],
        "epoch": ["unix"],
        "off": ["disabled", "false", "never", "no", "none"],
        "has": ["defined", "exists", "is_set", "isset"],
        "length": ["count", "len", "size"],
        "map": ["dict", "dictionary", "hash"],
        "list<TYPE>": ["array", "list", "sequence"],
        "http": ["api", "curl", "fetch", "request"],
        "choose": ["branch", "case", "if", "switch"],
        "subflow": ["flow", "include"],
        "wait": ["delay", "pause", "sleep"],
        "store": ["persist", "save"],
        "restore": ["load"],
    ])
    /// Shorter beginnings say too little.
    private static let shortestStem = 3

    /// The word that is misspelt, is called otherwise elsewhere, or is the only one that the text is a part of.
    static func nearest(to text: String, in words: [String]) -> String? {
        if let near = SpellingSuggestion.nearest(to: text, in: words) { return near }
        let typed = text.lowercased()
        let word = theirs.ours(typed)
        if words.contains(word) { return word }
        guard typed.count >= shortestStem else { return nil }
        let parts = Set(typed.split(separator: "_"))
        return only(words) { parts.isSubset(of: Set($0.split(separator: "_"))) }
            ?? only(words) { $0.hasPrefix(typed) || ($0.count >= shortestStem && typed.hasPrefix($0)) }
    }

    private static func only(_ words: [String], where isMeant: (String) -> Bool) -> String? {
        let meant = words.filter(isMeant)
        return meant.count == 1 ? meant[0] : nil
    }
}
