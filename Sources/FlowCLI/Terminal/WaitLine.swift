internal import FlowLive
internal import FlowReport
internal import Synchronization
internal import YAMLText

/// Says on standard error what a command waits for outside of runs: one line, which on a terminal goes away again.
final class WaitLine: Sendable {
    private let stream: TextStream
    private let options: RenderOptions
    private let isRewritten: Bool
    private let isShown = Mutex(false)

    /// Milliseconds after which people wonder whether anything happens (Nielsen, Usability Engineering §5.5).
    static let patience: Int64 = 1_000

    /// `nil` for a reader who wants quiet.
    init?(_ common: CommonOptions, _ surroundings: Surroundings) {
        options = RenderOptions(common, surroundings.error, surroundings)
        stream = surroundings.error
        isRewritten = surroundings.rewritesErrorLines
        guard options.verbosity >= .normal else { return nil }
    }

    /// - Parameter wait: `nil` ends the one before.
    func show(_ wait: SlowWait?) {
        isShown.withLock { isShown in
            if isRewritten, isShown { stream.write("\r\u{1B}[2K") }
            isShown = wait != nil
            guard let wait else { return }
            let left = SpanText.limit(wait.until - WallClock.now())
            let text = "  waiting for \(VisibleText.escaped(wait.what)), up to \(left)"
            guard isRewritten else { return stream.write(text + "\n") }
            stream.write(
                Palette(isOn: options.color).paint(
                    Page(options).cut(text, to: options.width - 1), .dim))
        }
    }
}
