internal import FlowLanguage
public import YAMLText

extension FailureTexts {
    /// Reads a catalogue in another language from YAML or JSON.
    ///
    /// ```yaml
    /// phrases:
    ///   again: noch einmal anmelden
    /// texts:
    ///   state_mismatch:
    ///     headline: die Antwort gehört zu einer anderen Anmeldung
    ///     why: [ein alter Reiter hat geantwortet]
    ///     fix: ["{again}"]
    /// ```
    ///
    /// - Throws: `file_invalid` with every mistake; a code that there is not is one.
    public init(reading file: SourceFile) throws(SignInFailure) {
        var (root, diagnostics) = YAMLDocument.parse(file)
        var texts: [String: FailureText] = [:]
        var phrases: [String: String] = [:]
        if let root,
            let reader = MappingReader(
                root, "the catalogue", keys: ["phrases", "texts"], file: file.path, &diagnostics)
        {
            let names = Array(Self.english.phrases.keys.sorted())
            if let reader = reader.mapping("phrases", keys: names, &diagnostics) {
                for name in names { phrases[name] = reader.string(name, &diagnostics) }
            }
            let codes = Self.english.texts.keys.sorted()
            if let reader = reader.mapping("texts", keys: codes, &diagnostics) {
                for code in codes { texts[code] = Self.text(code, in: reader, &diagnostics) }
            }
        }
        guard !diagnostics.hasErrors else { throw SignInFailure(files: diagnostics, .english) }
        self.init(texts, phrases: phrases)
    }

    private static func text(
        _ code: String, in reader: MappingReader, _ diagnostics: inout [Diagnostic]
    ) -> FailureText? {
        guard let text = reader.mapping(code, keys: ["headline", "why", "fix"], &diagnostics) else {
            return nil
        }
        text.require("headline", diagnostics: &diagnostics)
        return text.string("headline", &diagnostics).map { headline in
            FailureText(
                headline, why: text.strings("why", &diagnostics) ?? [],
                fix: text.strings("fix", &diagnostics) ?? [])
        }
    }
}
