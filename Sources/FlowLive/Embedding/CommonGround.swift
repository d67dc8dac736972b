internal import Synchronization

/// What the runs of one `FlowRunner` that are under way at once use together: the thread of the network, and the database.
///
/// A server signs in hundreds at once. With a thread, connections and a database of its own each run would wait for the
/// others to write, and take a dozen descriptors while its visitor types a password. Both are there for as long as a run
/// uses them.
final class CommonGround: Sendable {
    struct Place: Sendable {
        let loop: CurlLoop
        let disk: DiskStore

        init(_ configuration: LiveConfiguration) throws(CurlUnavailable) {
            loop = try CurlLoop(ProxyVariables.configuration(configuration))
            disk = DiskStore(configuration)
        }
    }

    private let state = Mutex<(place: Place, runs: Int)?>(nil)

    /// Begins a run's use of the place.
    ///
    /// - Parameter configuration: The same at each call, as far as network and database are concerned.
    func enter(_ configuration: LiveConfiguration) throws(CurlUnavailable) -> Place {
        try state.withLock { state throws(CurlUnavailable) in
            if let (place, runs) = state {
                state = (place, runs + 1)
                return place
            }
            let place = try Place(configuration)
            state = (place, 1)
            return place
        }
    }

    /// Ends a run's use of the place, once for each `enter`.
    func leave() {
        let abandoned = state.withLock { state -> Place? in
            guard let (place, runs) = state else { return nil }
            state = runs > 1 ? (place, runs - 1) : nil
            return runs > 1 ? nil : place
        }
        abandoned?.loop.shutDown()
    }
}
