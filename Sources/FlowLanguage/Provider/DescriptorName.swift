package import YAMLText

/// What a provider is called: in its file, and by the name of the file.
package enum DescriptorName {
    /// `[a-z0-9][a-z0-9-]{0,62}`
    package static func isWellFormed(_ id: String) -> Bool {
        (1...63).contains(id.utf8.count) && id.utf8.first != FlowName.hyphen
            && id.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == FlowName.hyphen
            }
    }

    /// `acme` for `providers/acme.yaml` and `acme.provider.yaml`.
    package static func name(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let suffix = [".provider.yaml", ".provider.yml", ".yaml", ".yml"].first(where: file.hasSuffix) ?? ""
        return String(file.dropLast(suffix.count))
    }

    /// A provider is found by the name of its file; registrations and sessions go by the name in it (FL089).
    package static func check(_ file: SourceFile) -> Diagnostic? {
        guard let node = YAMLDocument.parse(file).root?["provider"], case .string(let id) = node.value,
            isWellFormed(id)
        else { return nil }
        let name = name(ofFile: file.path)
        guard name != id else { return nil }
        return Diagnostic(
            code: "FL089", severity: .warning, file: file.path, span: node.span,
            message: "the file is called \"\(name)\", and the provider in it \"\(id)\"",
            hint: isWellFormed(name) ? "call both the same" : "call the file \(id).yaml")
    }
}
