internal import YAMLText

/// What the command finds around it: everything outside of its arguments that it may look at.
package struct Surroundings: Sendable {
    package let environment: [String: String]
    /// Absolute path of the working directory.
    package let directory: String
    /// Where the user database says that this user is at home.
    let registeredHome: String?
    /// Absolute path of the program; `nil` when it cannot be known.
    package let executable: String?
    package let input: TextInput
    package let output: TextStream
    package let error: TextStream
    /// Signals that ask the command to stop; `nil` leaves them to the system.
    package let interruption: Interruption?

    package init(
        environment: [String: String], directory: String, registeredHome: String? = nil,
        executable: String? = nil, input: TextInput, output: TextStream, error: TextStream,
        interruption: Interruption? = nil
    ) {
        self.environment = environment
        self.directory = directory
        self.registeredHome = registeredHome
        self.executable = executable
        self.input = input
        self.output = output
        self.error = error
        self.interruption = interruption
    }

    /// The same place seen from another folder.
    func with(directory: String) -> Surroundings {
        Surroundings(
            environment: environment, directory: directory, registeredHome: registeredHome,
            executable: executable, input: input, output: output, error: error, interruption: interruption)
    }

    /// The same place with no variable set.
    var withoutEnvironment: Surroundings {
        Surroundings(
            environment: [:], directory: directory, registeredHome: registeredHome, executable: executable,
            input: input, output: output, error: error, interruption: interruption)
    }

    /// Writes one line to standard error, with everything visible that the text quotes from elsewhere.
    ///
    /// - Parameter text: Lower case, without a full stop.
    func complain(_ text: String) {
        error.write("flowrun: \(VisibleText.escaped(LongText.shortened(text)))\n")
    }

    /// Says what is waited for where something outside of flowrun decides how long; on a line of its own, since a
    /// program may be asking for something there.
    func tellWait(for what: String) { error.write("  waiting for \(VisibleText.escaped(what))\n") }

    /// A variable that is set and not empty.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Absolute path of the user's own folder: that of HOME, which services often go without, else the registered one.
    ///
    /// - Returns: `nil` where there is none, and where HOME is no absolute path.
    var home: String? {
        guard let path = variable("HOME") ?? registeredHome, path.hasPrefix("/") else { return nil }
        return path
    }
}

/// Where text comes from: a file descriptor, or memory.
package enum TextInput: Sendable {
    case descriptor(Int32)
    case memory(String)

    /// Whether a person types it.
    package var isTerminal: Bool {
        switch self {
        case .descriptor(let descriptor): FileAccess.isTerminal(descriptor)
        case .memory: false
        }
    }

    /// Everything up to its end.
    func readAll(limit: Int) throws(FileProblem) -> [UInt8] {
        switch self {
        case .descriptor(let descriptor):
            try FileAccess.read(descriptor, named: "standard input", limit: limit)
        case .memory(let text): Array(text.utf8)
        }
    }
}
