internal import JOSE
internal import YAMLText

/// One of the files and environments that a descriptor is made of.
final class DescriptorLayer: Sendable {
    let file: SourceFile
    /// What the layer is called behind a line number, such as ` (sandbox)`; empty for a file as it stands.
    let suffix: String

    init(file: SourceFile, suffix: String = "") {
        self.file = file
        self.suffix = suffix
    }

    /// As `acme.yaml:12`.
    func name(of span: SourceSpan) -> String {
        let path = file.path
        let folders = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return "\(folders.map { path[$0...].dropFirst() } ?? path[...]):\(span.start.line)\(suffix)"
    }
}

/// One descriptor made of several: what it extends below it, the chosen environment above it.
///
/// Mappings are joined key by key; anything else of an upper layer replaces what is below, and a key with nothing after
/// it removes it, from the provider's metadata too. Every node keeps its place and the number of its layer.
///
/// A class only because it is handed around. It never changes once it is made.
final class DescriptorLayers {
    private(set) var layers: [DescriptorLayer] = []
    private(set) var root: YAMLNode?
    /// The file's own nodes, without the other layers.
    private(set) var own: YAMLNode?
    /// Members that the provider's metadata must not have: the topmost word on them is nothing.
    private(set) var removed: Set<String> = []
    private(set) var environments: [String] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether every file that is extended was there.
    private(set) var isComplete = true

    /// A chain of descriptors longer than this is a mistake.
    private static let depth = 4

    /// - Parameters:
    ///   - parent: The file of a descriptor's id.
    ///   - known: The ids that there are, for a suggestion.
    init(
        _ file: SourceFile, environment: String?, parent: (String) -> SourceFile?, known: () -> [String]
    ) {
        layers.append(DescriptorLayer(file: file))
        let (parsed, found) = YAMLDocument.parse(file)
        diagnostics = found
        guard let parsed else { return }
        own = parsed
        var lower: YAMLNode?
        if let entry = parsed.mapping?["extends"] {
            let name = parsed["provider"]?.scalar?.text
            lower = ancestors(from: entry.value, of: name, parent, known)
            isComplete = lower != nil
        }
        var merged = lower.map { Self.putRoot(parsed, over: $0) } ?? parsed
        environments = merged["environments"]?.mapping?.entries.map(\.key) ?? []
        // What is no mapping is reported where all environments are.
        if let environment, let upper = merged["environments"]?[environment], upper.mapping != nil {
            // Several files may have a say in an environment: each has a layer of its own for that.
            let files = layers.count
            layers += layers.map { DescriptorLayer(file: $0.file, suffix: " (\(environment))") }
            merged = Self.putRoot(upper.numbered { $0 + files }, over: merged)
        }
        root = withoutRemoved(merged)
    }

    /// Takes note of the members that are removed from the metadata, and leaves them out.
    private func withoutRemoved(_ node: YAMLNode) -> YAMLNode {
        guard let mapping = node.mapping,
            mapping.entries.indices.contains(where: { mapping.entries[$0].value.isNothing }),
            mapping.entries.contains(where: Self.isRemoval)
        else { return node }
        removed = Set(mapping.entries.filter(Self.isRemoval).map(\.key))
        let entries = mapping.entries.filter { !Self.isRemoval($0) }
        return YAMLNode(span: node.span, content: .mapping(YAMLMapping(entries: entries)))
    }

    private static func isRemoval(_ entry: YAMLMapping.Entry) -> Bool {
        entry.value.isNothing && DescriptorReader.amendable.contains(entry.key)
    }

    /// The descriptor that `extends` names, on top of those that it extends itself.
    private func ancestors(
        from first: YAMLNode, of descriptor: String?, _ parent: (String) -> SourceFile?,
        _ known: () -> [String]
    ) -> YAMLNode? {
        var names = descriptor.map { [$0] } ?? []
        var trees: [YAMLNode] = []
        var next: YAMLNode? = first
        while let node = next {
            guard let name = node.scalar?.text else {
                report(node, "expected the name of a descriptor, found \(node.shape)")
                return nil
            }
            let chain = (names + [name]).joined(separator: " → ")
            guard !names.contains(name) else {
                report(first, "a descriptor cannot extend itself: \(chain)")
                return nil
            }
            guard trees.count < Self.depth else {
                report(first, "descriptors extend each other at most \(Self.depth) deep: \(chain)")
                return nil
            }
            guard let file = parent(name) else {
                let suggestion = didYouMean(name, among: known())
                report(
                    node, "there is no descriptor \"\(name)\" to extend\(suggestion)",
                    fix: suggestion.fix)
                return nil
            }
            let (tree, found) = YAMLDocument.parse(file)
            diagnostics += found
            guard let tree else { return nil }
            names.append(name)
            layers.append(DescriptorLayer(file: file))
            let number = layers.count - 1
            let placed = tree.numbered { _ in number }
            trees.append(placed)
            next = placed["extends"]
        }
        // The name belongs to each file alone.
        return trees.reversed().reduce(nil as YAMLNode?) { lower, upper in
            let upper = upper.without("provider", "extends")
            return lower.map { Self.putRoot(upper, over: $0) } ?? upper
        }
    }

    private func report(_ node: YAMLNode, _ message: String, fix: Diagnostic.Fix? = nil) {
        let file = layers[node.span.start.fileNumber].file.path
        diagnostics.append(Diagnostic(code: "FL016", file: file, span: node.span, message: message, fix: fix))
    }

    /// The same for whole files: metadata is the lowest layer of all, so that what removes a member of it stays.
    private static func putRoot(_ upper: YAMLNode, over lower: YAMLNode) -> YAMLNode {
        let merged = put(upper, over: lower)
        guard let entries = merged.mapping?.entries, let removals = upper.mapping?.entries.filter(isRemoval),
            !removals.isEmpty
        else { return merged }
        return YAMLNode(span: merged.span, content: .mapping(YAMLMapping(entries: entries + removals)))
    }

    static func put(_ upper: YAMLNode, over lower: YAMLNode) -> YAMLNode {
        guard let above = upper.mapping, let below = lower.mapping else { return upper }
        var entries: [YAMLMapping.Entry] = below.entries.compactMap { entry in
            guard let replacement = above[entry.key] else { return entry }
            guard !replacement.value.isNothing else { return nil }
            return YAMLMapping.Entry(
                key: entry.key, keySpan: replacement.keySpan,
                value: put(replacement.value, over: entry.value))
        }
        entries += above.entries.filter { below[$0.key] == nil && !$0.value.isNothing }
        return YAMLNode(span: upper.span, content: .mapping(YAMLMapping(entries: entries)))
    }

    // MARK: What to call a place

    /// The layer that a place belongs to.
    func layer(of span: SourceSpan) -> DescriptorLayer { layers[span.start.fileNumber] }

    /// The files that it is made of, its own first.
    var sources: [SourceFile] { layers.filter { $0.suffix.isEmpty }.map(\.file) }

    /// Whether some text of the files may be a template: a dollar sign stands in them, or an escape that may be one.
    var mayHoldTemplates: Bool {
        layers.contains { $0.file.text.holds("$") || $0.file.text.holds("\\") }
    }

    /// Whether something stands in the lines of the environment; what is missing in all of it stands nowhere.
    func isInEnvironment(_ found: Diagnostic) -> Bool {
        let number = found.span.start.fileNumber
        return !layers[number].suffix.isEmpty && found.span.start != root?.span.start
    }

    /// The diagnostics, each with the file that its place is in.
    func placed(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.map { found in
            let number = found.span.start.fileNumber
            guard number > 0 else { return found }
            return Diagnostic(
                code: found.code, severity: found.severity, file: layers[number].file.path,
                span: found.span.inFile(0), message: found.message, hint: found.hint,
                related: found.related.map { .init(span: $0.span.inFile(0), message: $0.message) },
                isCredential: found.isCredential)
        }
    }
}

extension YAMLNode {
    /// Whether it is written as null, or not written at all.
    var isNothing: Bool { if case .scalar(let scalar) = content { scalar.isNull } else { false } }

    fileprivate func without(_ keys: String...) -> YAMLNode {
        guard let mapping else { return self }
        let entries = mapping.entries.filter { !keys.contains($0.key) }
        return YAMLNode(span: span, content: .mapping(YAMLMapping(entries: entries)))
    }

    /// The same tree, each place being one of the file with the number that is made of its own.
    fileprivate func numbered(_ number: (Int) -> Int) -> YAMLNode {
        let content: Content =
            switch self.content {
            case .scalar: self.content
            case .sequence(let nodes): .sequence(nodes.map { $0.numbered(number) })
            case .mapping(let mapping):
                .mapping(
                    YAMLMapping(
                        entries: mapping.entries.map {
                            YAMLMapping.Entry(
                                key: $0.key, keySpan: $0.keySpan.numbered(number),
                                value: $0.value.numbered(number))
                        }))
            }
        return YAMLNode(span: span.numbered(number), content: content)
    }
}

extension SourceSpan {
    fileprivate func numbered(_ number: (Int) -> Int) -> SourceSpan { inFile(number(start.fileNumber)) }

    fileprivate func inFile(_ number: Int) -> SourceSpan {
        let number = UInt8(clamping: number)
        return SourceSpan(start: start.inFile(number), end: end.inFile(number))
    }
}
