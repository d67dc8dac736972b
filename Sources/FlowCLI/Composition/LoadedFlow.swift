internal import FlowLanguage
internal import YAMLText

/// A flow file that compiled.
struct LoadedFlow: Sendable {
    let program: FlowProgram
    let source: SourceFile
    /// Warnings and notes.
    let diagnostics: [Diagnostic]
}

/// A provider file that could be read.
struct LoadedProvider: Sendable {
    let descriptor: ProviderDescriptor
    let source: SourceFile
    let diagnostics: [Diagnostic]
}

/// Files of the library as programs and descriptors.
extension Library {
    func flow(_ word: String) throws(Problem) -> LoadedFlow {
        let source = try load(.flow, word)
        let compilation = FlowCompiler.compile(source, sources: sources)
        guard let program = compilation.program else {
            throw Problem(
                .config, "\(source.path) cannot be run", diagnostics: compilation.diagnostics,
                sources: [source])
        }
        return LoadedFlow(program: program, source: source, diagnostics: compilation.diagnostics)
    }

    func provider(_ word: String) throws(Problem) -> LoadedProvider {
        let source = try load(.provider, word)
        let reading = ProviderReader.read(source)
        guard let descriptor = reading.descriptor, !reading.diagnostics.hasErrors else {
            throw Problem(
                .config, "\(source.path) cannot be used", diagnostics: reading.diagnostics, sources: [source])
        }
        return LoadedProvider(descriptor: descriptor, source: source, diagnostics: reading.diagnostics)
    }

    private func load(_ kind: LibraryKind, _ word: String) throws(Problem) -> SourceFile {
        let path: String
        do throws(LibraryProblem) {
            path = try self.path(kind, word)
        } catch {
            throw Problem(error)
        }
        do throws(FileProblem) {
            return try read(path)
        } catch {
            throw Problem(error)
        }
    }
}
