internal import FlowLive
internal import Glibc
internal import OAuthProtocol

/// The terminal at which a person can paste an answer while the command waits for a browser.
enum PastingPlace {
    /// Standard input, or the terminal that the process belongs to where that is something else.
    ///
    /// - Returns: `nil` where nobody would see the question.
    static func lines(_ surroundings: Surroundings) -> (@Sendable () -> AsyncStream<Secret>)? {
        guard surroundings.error.isTerminal, case .descriptor(let input) = surroundings.input,
            let descriptor = isatty(input) == 1 ? input : terminal()
        else { return nil }
        let error = surroundings.error
        return {
            DescriptorLines.stream(of: descriptor) {
                error.write("\nflowrun: the terminal cuts lines of more than 4095 characters\n")
            }
        }
    }

    /// Stays open until the process ends.
    private static func terminal() -> Int32? {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }
}
