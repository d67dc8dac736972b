/// What many events say alike: they hold it together, so that none of them copies it.
final class Shared<Content: Sendable & Hashable>: Sendable, Hashable {
    let content: Content

    init(_ content: Content) {
        self.content = content
    }

    static func == (left: Shared, right: Shared) -> Bool {
        left === right || left.content == right.content
    }

    func hash(into hasher: inout Hasher) { hasher.combine(content) }
}
