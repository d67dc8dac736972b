/// A thread of the network that is there for as long as somebody uses it.
struct SharedLoop {
    private var loop: CurlLoop?
    private var users = 0

    /// Begins a use; the first makes the thread.
    mutating func enter(_ make: () throws(CurlUnavailable) -> CurlLoop) throws(CurlUnavailable) -> CurlLoop {
        let current: CurlLoop
        if let loop { current = loop } else { current = try make() }
        loop = current
        users += 1
        return current
    }

    /// Ends a use, once for each `enter`.
    ///
    /// - Returns: The thread that nobody uses any more, which the caller shuts down.
    mutating func leave() -> CurlLoop? {
        users -= 1
        guard users == 0 else { return nil }
        defer { loop = nil }
        return loop
    }
}
