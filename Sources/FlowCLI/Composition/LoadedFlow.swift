internal import FlowLanguage
internal import Synchronization
internal import YAMLText

/// A flow file that compiled.
struct LoadedFlow: Sendable {
    let program: FlowProgram
    let source: SourceFile
    /// The files of its sub-flows and imports.
    var others: [SourceFile] = []
    /// Warnings and notes.
    let diagnostics: [Diagnostic]
}

/// A provider file that could be read.
struct LoadedProvider: Sendable {
    let descriptor: ProviderDescriptor
    let source: SourceFile
    /// The file, then those that it extends.
    let sources: [SourceFile]
    let diagnostics: [Diagnostic]
    /// What another command has to call it, with the folder that it was found in.
    let word: String
}

/// Files of the library as programs and descriptors.
extension Library {
    func flow(_ word: String) throws(Problem) -> LoadedFlow {
        let source = try load(.flow, word)
        let log = SourceLog()
        let compilation = FlowCompiler.compile(source, sources: log.noting(sources))
        guard let program = compilation.program else {
            throw Problem(
                .config, "\(source.path) cannot be run", diagnostics: compilation.diagnostics,
                sources: [source])
        }
        return LoadedFlow(
            program: program, source: source, others: log.files, diagnostics: compilation.diagnostics)
    }

    /// - Parameter environment: One of the descriptor's environments, to be put on top.
    func provider(_ word: String, environment: String? = nil) throws(Problem) -> LoadedProvider {
        let source = try load(.provider, word)
        let reading = ProviderReader.read(
            source, environment: environment, parent: parent, known: providerNames)
        guard let descriptor = reading.descriptor, !reading.diagnostics.hasErrors else {
            throw Problem(
                .config, "\(source.path) cannot be used", diagnostics: reading.diagnostics,
                sources: reading.sources)
        }
        if let problem = environment.flatMap(descriptor.mistake(inEnvironment:)) {
            throw Problem(.config, problem.message, hints: [problem.hint])
        }
        return LoadedProvider(
            descriptor: descriptor, source: source, sources: reading.sources,
            diagnostics: reading.diagnostics,
            word: self.word(word, for: descriptor.id))
    }

    /// The providers there are; looked for only when one is missing.
    var providerNames: () -> [String] { { entries(of: .provider).map(\.name) } }

    /// The file of a descriptor that another extends; one that cannot be read is missing.
    var parent: (String) -> SourceFile? {
        { id in
            guard let path = try? self.path(.provider, id) else { return nil }
            return try? self.read(path)
        }
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

/// Notes which files a flow was compiled from.
final class SourceLog: Sendable {
    private let found = Mutex<[SourceFile]>([])

    var files: [SourceFile] { found.withLock { $0 } }

    func noting(_ sources: FlowSources) -> FlowSources {
        FlowSources(
            flow: { id, from in self.noted(sources.flow(id, from)) },
            imported: { path, from in self.noted(sources.imported(path, from)) },
            names: sources.names)
    }

    private func noted(_ file: SourceFile?) -> SourceFile? {
        if let file {
            found.withLock { files in
                if !files.contains(where: { $0.path == file.path }) { files.append(file) }
            }
        }
        return file
    }
}
