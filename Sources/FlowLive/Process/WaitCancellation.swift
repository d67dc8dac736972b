import Glibc
import Synchronization

/// Ends what a thread waits for, such as a program or a person at the terminal: a descriptor that becomes readable.
package final class WaitCancellation: Sendable {
    /// `nil` when no descriptors were left.
    let reading: FileDescriptor?
    private let writing: Mutex<FileDescriptor?>

    package init() {
        let pipe = FileDescriptor.pipe()
        reading = pipe?.reading
        writing = Mutex(pipe?.writing)
    }

    /// Closing the writing end makes the other one readable.
    package func cancel() { writing.withLock { $0 = nil } }

    /// Waits until something can be read from the descriptor, or its other end is closed.
    ///
    /// - Returns: False when this was cancelled.
    package func waitToRead(_ descriptor: Int32) -> Bool {
        while true {
            var events = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reading?.number ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&events, nfds_t(events.count), -1) >= 0 || errno == EINTR else { return true }
            if events[1].revents != 0 { return false }
            if events[0].revents != 0 { return true }
        }
    }
}
