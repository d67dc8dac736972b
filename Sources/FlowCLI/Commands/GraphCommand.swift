internal import FlowLanguage
internal import FlowLive

/// `graph`: a picture of a flow.
struct GraphCommand: Sendable {
    let context: CommandContext
    let request: GraphRequest

    func run() async throws(Problem) -> Int {
        try checkPlace()
        let flow = try context.library.flow(request.flow)
        let drawing = FlowDrawing(flow.program, showsAll: request.showsAll)
        let picture: String
        switch request.format {
        case .mermaid: picture = MermaidDrawing(drawing).text
        case .dot: picture = GraphvizDrawing(drawing).text
        case .svg: picture = try await svg(GraphvizDrawing(drawing).text)
        }
        guard let file = request.file else {
            context.write(picture)
            return ExitStatus.ok.rawValue
        }
        do throws(FileProblem) {
            try FileReplacement.write(FilePath.join(context.surroundings.directory, file), picture)
        } catch {
            throw Problem(FileProblem(file, error.reason), .local)
        }
        context.note("wrote \(file)")
        return ExitStatus.ok.rawValue
    }

    /// Finds out before anything is drawn whether a file is in the way.
    private func checkPlace() throws(Problem) {
        guard let file = request.file else { return }
        // Other commands name a form there.
        if GraphRequest.Format(rawValue: file) != nil {
            throw Problem(
                .usage, "--output names a file, and \"\(file)\" is a form",
                hints: ["give --format \(file), or --output ./\(file) for a file of that name"])
        }
        guard !request.replaces else { return }
        let path = FilePath.join(context.surroundings.directory, file)
        guard FileAccess.exists(path), !FileReplacement.isStream(path) else { return }
        throw Problem(.usage, "\(file) exists already", hints: ["give --replace to take its place"])
    }

    /// Graphviz lays the picture out.
    private func svg(_ text: String) async throws(Problem) -> String {
        guard let program = program("dot") else {
            throw Problem(
                .local, "the program dot, which draws SVG, is not installed",
                hints: [
                    "install it: apt install graphviz, or brew install graphviz",
                    "or write --format mermaid or --format dot",
                ])
        }
        let environment = context.surroundings.variable("PATH").map { [("PATH", $0)] } ?? []
        let result: ProcessResult
        do throws(SpawnFailure) {
            result = try await ProcessRunner.run(
                ProcessRequest(
                    arguments: [program, "-Tsvg"], environment: environment, input: Array(text.utf8),
                    timeoutMilliseconds: 60_000, maxOutputBytes: 16 << 20))
        } catch {
            throw Problem(.local, "\(program) cannot be run: \(error.reason)")
        }
        guard result.end == .exited(0), !result.output.isTruncated else {
            let said = String(decoding: result.errors.bytes, as: UTF8.self).split(separator: "\n").first
            throw Problem(.local, "\(program) drew nothing\(said.map { ": \($0)" } ?? "")")
        }
        return String(decoding: result.output.bytes, as: UTF8.self)
    }

    private func program(_ name: String) -> String? {
        let path = context.surroundings.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        let places = path.split(separator: ":").map { FilePath.join(String($0), name) }
        return places.first { $0.hasPrefix("/") && FileAccess.isFile($0) }
    }
}
