extension Interruption {
    /// The first signal, from now on.
    ///
    /// Listening begins with the call and not with the first wait, so that no signal falls between.
    func arrivals() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        onArrival { [self] in
            if let received { continuation.yield(received) }
            continuation.finish()
        }
        return stream
    }
}

extension AsyncStream<Int32> {
    /// The first signal; `nil` when the task is cancelled before one arrives.
    func first() async -> Int32? {
        for await signal in self { return signal }
        return nil
    }
}
