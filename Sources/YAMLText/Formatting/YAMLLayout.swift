/// A node as it will be written: its comments placed, its scalars spelled, its lines not yet laid out.
indirect enum YAMLLayout {
    /// What fits one line: a scalar, or a collection without anything in it.
    case word(String)
    /// A scalar of several lines: its first one, and the rest relative to the indentation of its parent.
    case block(first: String, rest: [String], commentsLastLine: Bool)
    case mapping(YAMLLayoutMapping)
    case sequence(YAMLLayoutSequence)
    /// A collection in brackets, which is written in lines where it does not fit one.
    case brackets(String, else: YAMLLayout)
}

struct YAMLLayoutMapping {
    struct Entry {
        var lead: [YAMLLead]
        let key: String
        let value: YAMLLayout
        /// At the end of the key's line.
        var comment: PlacedComment?
    }

    var entries: [Entry]
    /// Behind the last entry.
    var foot: [YAMLLead]
}

struct YAMLLayoutSequence {
    struct Item {
        var lead: [YAMLLead]
        let value: YAMLLayout
        var comment: PlacedComment?
    }

    var items: [Item]
    var foot: [YAMLLead]
}

/// A line before an entry: a comment, or nothing.
enum YAMLLead: Hashable {
    case blank
    case comment(String)
}

/// A comment at the end of a line, with the column in which it stood.
struct PlacedComment: Hashable {
    let text: String
    let column: Int
}
