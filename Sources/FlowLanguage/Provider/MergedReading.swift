internal import YAMLText

/// A descriptor read in one piece, and where its mistakes come from: a file alone, what it extends, an environment.
struct MergedReading {
    let layers: DescriptorLayers
    private let environment: String?
    private let descriptor: ProviderDescriptor?
    /// Sorted by place.
    private let diagnostics: [Diagnostic]
    /// Those that stand in the lines of the environment itself.
    private let inEnvironment: Set<Diagnostic>

    init(
        _ file: SourceFile, _ environment: String?, parent: (String) -> SourceFile?, known: () -> [String]
    ) {
        let layers = DescriptorLayers(file, environment: environment, parent: parent, known: known)
        self.layers = layers
        self.environment = environment.flatMap { layers.environments.contains($0) ? $0 : nil }
        var diagnostics = layers.diagnostics
        let mapping = layers.root.flatMap {
            MappingReader(
                $0, "provider", keys: ProviderReader.keys, file: file.path,
                otherwise: FileLikeness.beginnings, elsewhere: MisplacedKey.hint, &diagnostics)
        }
        guard let mapping else {
            descriptor = nil
            self.diagnostics = diagnostics.toldOnce()
            inEnvironment = []
            return
        }
        if let own = layers.own { DescriptorSafety.findCredentials(own, file: file.path, &diagnostics) }
        var reader = DescriptorReader(mapping, layers, diagnostics)
        let descriptor = reader.descriptor(environment)
        self.descriptor = reader.diagnostics.hasErrors ? nil : descriptor
        self.diagnostics = layers.placed(reader.diagnostics).toldOnce()
        inEnvironment = Set(layers.placed(reader.diagnostics.filter(layers.isInEnvironment)))
    }

    /// The reading, each mistake that no file makes alone with the words for what makes it.
    func explained(parent: (String) -> SourceFile?, known: () -> [String]) -> ProviderReading {
        let sources = layers.sources
        var diagnostics = explanations(sources, parent, known)
        if diagnostics.hasErrors {
            for file in sources { diagnostics = LookAlike.explained(diagnostics, in: file) }
        }
        return ProviderReading(descriptor: descriptor, diagnostics: diagnostics, sources: sources)
    }

    private func explanations(
        _ sources: [SourceFile], _ parent: (String) -> SourceFile?, _ known: () -> [String]
    ) -> [Diagnostic] {
        guard !diagnostics.isEmpty, environment != nil || sources.count > 1 else { return diagnostics }
        let plain = environment.map { _ in
            MergedReading(sources[0], nil, parent: parent, known: known)
        }
        let alone = sources.enumerated().map { number, file in
            MergedReading(file, nil, parent: { number == 0 ? nil : parent($0) }, known: known)
        }
        return diagnostics.map { found in
            if let environment, let plain, !plain.makes(found) {
                return inEnvironment.contains(found)
                    ? found : found.adding("in environment \"\(environment)\"")
            }
            guard let number = sources.firstIndex(where: { $0.path == found.file }), sources.count > 1,
                !alone[number].makes(found)
            else { return found }
            let names = alone.map { $0.layers.own?["provider"]?.scalar?.text ?? "" }
            return found.adding(
                number == 0
                    ? "together with \"\(names[1])\", which it extends" : "as \"\(names[0])\" extends it")
        }
    }

    private func makes(_ found: Diagnostic) -> Bool { diagnostics.contains { $0.isSameMistake(as: found) } }
}

extension Diagnostic {
    /// Whether both say the same of a place, whatever it was read together with.
    func isSameMistake(as other: Diagnostic) -> Bool {
        code == other.code && file == other.file && span == other.span
    }

    fileprivate func adding(_ words: String) -> Diagnostic {
        with(message: "\(message), \(words)")
    }
}
