internal import Synchronization

/// What the runs and sessions of one `FlowRunner` that are there at once use together: the thread of the network, and the
/// database.
///
/// A server has hundreds of either. With a thread, connections and a database of its own each would wait for the others to
/// write, and take a dozen descriptors while its visitor types a password. The thread is there for as long as a run uses
/// it, the database for as long as anybody holds it.
final class CommonGround: Sendable {
    struct Place: Sendable {
        let loop: CurlLoop
        let disk: DiskStore
    }

    private struct State {
        weak var disk: DiskStore?
        var loop = SharedLoop()

        mutating func disk(_ configuration: LiveConfiguration) -> DiskStore {
            if let disk { return disk }
            let new = DiskStore(configuration)
            disk = new
            return new
        }
    }

    private let state = Mutex(State())

    /// The database, opened when it is first needed.
    ///
    /// - Parameter configuration: The same at each call, as far as network and database are concerned.
    func disk(_ configuration: LiveConfiguration) -> DiskStore {
        state.withLock { $0.disk(configuration) }
    }

    /// Begins a run's use of both.
    func enter(_ configuration: LiveConfiguration) throws(CurlUnavailable) -> Place {
        try state.withLock { state throws(CurlUnavailable) in
            let loop = try state.loop.enter { () throws(CurlUnavailable) in
                try CurlLoop(ProxyVariables.configuration(configuration))
            }
            return Place(loop: loop, disk: state.disk(configuration))
        }
    }

    /// Ends a run's use of both, once for each `enter`.
    func leave() {
        let abandoned = state.withLock { $0.loop.leave() }
        abandoned?.shutDown()
    }
}
