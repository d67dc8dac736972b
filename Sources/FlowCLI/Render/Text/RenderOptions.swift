/// How the renderers write: decided once from the flags, the environment and the stream.
package struct RenderOptions: Sendable, Hashable {
    package enum Verbosity: Int, Sendable, Hashable, Comparable {
        case quiet = -1
        case normal, verbose, debug

        package static func < (left: Verbosity, right: Verbosity) -> Bool { left.rawValue < right.rawValue }
    }

    /// Whether the reader understands ANSI sequences.
    package var color: Bool
    /// Whether only ASCII is written: symbols have fall-backs, everything else is written out.
    package var ascii: Bool
    /// Columns; a line is wrapped where it would be longer.
    package var width: Int
    package var verbosity: Verbosity

    package init(color: Bool = false, ascii: Bool = false, width: Int = 100, verbosity: Verbosity = .normal) {
        self.color = color
        self.ascii = ascii
        // Narrower than this no table can be read; the terminal wraps instead.
        self.width = max(40, width)
        self.verbosity = verbosity
    }
}
