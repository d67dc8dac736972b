internal import Synchronization

/// What many events say alike: they hold it together, so that none of them copies it.
final class Shared<Content: Sendable & Hashable>: Sendable, Hashable {
    let content: Content
    private let form = Mutex<WrittenFacts?>(nil)

    init(_ content: Content) {
        self.content = content
    }

    /// The content as the lines of a trace have it: written with the first event, for all that follow.
    func written(_ write: () -> WrittenFacts) -> WrittenFacts {
        form.withLock { form in
            if let form { return form }
            let written = write()
            form = written
            return written
        }
    }

    static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.content == right.content
    }

    func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension Shared: CustomStringConvertible {
    /// An event that is printed shows all that it says.
    var description: String { "\(content)" }
}

/// Members of a JSON object that many lines have, in pieces between which each line has its own.
package final class WrittenFacts: Sendable {
    package let pieces: [[UInt8]]

    package init(_ pieces: [UInt8]...) {
        self.pieces = pieces
    }
}
