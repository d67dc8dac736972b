internal import FlowLive

/// Programs that a file names without saying where they are.
extension Fingerprint {
    /// What PATH makes of each name now. A program that only root can replace is taken at its place: the system replaces it
    /// with every upgrade. Of another, as in `~/bin` or an environment of Python, the bytes count too.
    ///
    /// - Parameter names: Without a slash. One that PATH does not have is none that can be started.
    /// - Throws: When a program cannot be read.
    mutating func add(programs names: [String], _ surroundings: Surroundings) throws(Problem) {
        for name in names {
            let path = ProgramSearch.locate(
                name, from: surroundings.directory, path: surroundings.variable("PATH"))
            add([TrustSubject.Part(owner: "program \(name)", action: path ?? "")])
            if let path, !FileAccess.isOfSystem(path) { try add(files: [path]) }
        }
    }
}

extension FileAccess {
    /// Whether nobody but root can put something else in the place of a file.
    ///
    /// - Parameter path: Absolute, links followed.
    static func isOfSystem(_ path: String) -> Bool {
        var place = path
        while true {
            guard let status = status(place), status.owner == 0, status.permissions & 0o022 == 0 else {
                return false
            }
            if place == "/" { return true }
            place = FilePath.parent(of: place)
        }
    }
}
