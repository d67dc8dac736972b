internal import Glibc

/// How a stream is written to: decided from options, environment and the stream.
extension RenderOptions {
    init(_ common: CommonOptions, _ stream: TextStream, _ surroundings: Surroundings) {
        self.init(
            color: Self.isColoured(common.colour, stream, surroundings),
            ascii: common.isASCII || !Self.isUnicode(surroundings), width: Self.width(stream, surroundings),
            verbosity: Verbosity(rawValue: common.verbosity - 1) ?? .normal)
    }

    /// The option, then NO_COLOR (no-color.org), CLICOLOR_FORCE and CLICOLOR (bixense.com/clicolors), then the stream.
    private static func isColoured(
        _ colour: CommonOptions.Colour, _ stream: TextStream, _ surroundings: Surroundings
    ) -> Bool {
        switch colour {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if surroundings.variable("NO_COLOR") != nil { return false }
        if let force = surroundings.variable("CLICOLOR_FORCE"), force != "0" { return true }
        if surroundings.variable("CLICOLOR") == "0" || surroundings.variable("TERM") == "dumb" {
            return false
        }
        return stream.isTerminal
    }

    /// Whether the locale's characters are UTF-8; the first variable that is set decides (POSIX.1-2017 §8.2).
    private static func isUnicode(_ surroundings: Surroundings) -> Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let locale = surroundings.variable(name) else { continue }
            let folded = locale.lowercased()
            return folded.hasSuffix("utf-8") || folded.hasSuffix("utf8")
        }
        return false
    }

    /// Files and pipes are as wide as this whatever the terminal, so that their text does not depend on it.
    private static let usualWidth = 100

    private static func width(_ stream: TextStream, _ surroundings: Surroundings) -> Int {
        guard stream.isTerminal else { return usualWidth }
        if let columns = surroundings.variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
        return stream.columns ?? usualWidth
    }
}

extension Surroundings {
    /// Whether a line on standard error can be written again in its place.
    var rewritesErrorLines: Bool { error.isTerminal && variable("TERM") != "dumb" }
}

extension TextStream {
    /// Columns of the terminal behind the stream.
    fileprivate var columns: Int? {
        guard let descriptor else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
