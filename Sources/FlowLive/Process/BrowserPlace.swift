import Glibc

/// Where the browser of the person at the terminal is, as far as the environment tells.
package struct BrowserPlace: Sendable {
    private let environment: [String: String]
    private let isContainer: Bool

    /// - Parameter isContainer: Told from files when it is left out.
    package init(_ environment: [String: String], isContainer: Bool? = nil) {
        self.environment = environment.filter { !$0.value.isEmpty }
        self.isContainer =
            isContainer ?? (environment["container"] != nil || Self.marks.contains { access($0, F_OK) == 0 })
    }

    /// Files that container engines put into their containers.
    private static let marks = ["/.dockerenv", "/run/.containerenv"]

    private var isRemote: Bool { environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil }

    private var hasDisplay: Bool {
        #if os(macOS)
            return !isRemote
        #else
            return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
        #endif
    }

    /// Linux inside Windows, whose browser is opened from here.
    var isWindowsSubsystem: Bool { environment["WSL_DISTRO_NAME"] != nil }

    /// Why no browser can be opened here; `nil` where one can.
    package var obstacle: String? {
        if hasDisplay || isWindowsSubsystem && !isRemote { return nil }
        if isRemote { return "SSH session without a display" }
        return isContainer ? "container without a display" : "no display"
    }

    /// What a person types at the machine of the browser so that it reaches the port here.
    ///
    /// - Returns: `nil` where there is nothing to type.
    func forwarding(port: UInt16) -> String? {
        if isRemote {
            // client address, client port, server address, server port (sshd(8))
            let words = environment["SSH_CONNECTION"]?.split(separator: " ") ?? []
            let option = words.count == 4 && words[3] != "22" ? "-p \(words[3]) " : ""
            return "ssh \(option)-L \(port):127.0.0.1:\(port) \(Self.hostName)"
        }
        // A published port ends at the container's outer address, where nobody listens.
        return isContainer && !hasDisplay ? "docker run --network host ..." : nil
    }

    /// The name of this machine; where it has none that can be typed, what stands for it.
    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "HOST" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        return isPlain && !text.isEmpty && !text.hasPrefix("-") ? text : "HOST"
    }
}
