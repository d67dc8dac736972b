package import FlowEngine
internal import Synchronization

/// Turns the events of one run into text: a pure function of the events so far.
package protocol TraceRenderer: Sendable {
    /// The text that `event` adds; empty when it adds none.
    mutating func render(_ event: TraceEvent) -> String
}

/// A renderer with a place to write to.
///
/// Events come from more than one thread; the mutex keeps both the renderer's state and the order of its texts.
package final class RenderSink<Renderer: TraceRenderer>: TraceSink {
    private let renderer: Mutex<Renderer>
    private let output: @Sendable (String) -> Void

    /// - Parameter output: Takes each text; never called with an empty one, never twice at a time.
    package init(_ renderer: Renderer, output: @escaping @Sendable (String) -> Void) {
        self.renderer = Mutex(renderer)
        self.output = output
    }

    package func receive(_ event: TraceEvent) {
        write { $0.render(event) }
    }

    /// Writes what `body` makes of the renderer, in turn with the events.
    package func write(_ body: (inout Renderer) -> String) {
        renderer.withLock {
            let text = body(&$0)
            if !text.isEmpty { output(text) }
        }
    }
}
