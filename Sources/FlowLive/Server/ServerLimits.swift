/// The bounds of one loopback server.
package struct ServerLimits: Sendable, Hashable {
    /// Connections served at once; more wait in the backlog.
    package var connections: Int
    /// A connection without progress is closed after this.
    static let idleSeconds = 15
    /// Memory of one connection, of which half bounds its request line and header fields together.
    ///
    /// A browser sends the cookies of every program that was ever served on this machine, whatever its port.
    package var memoryBytes: Int
    package var maxBodyBytes: Int

    package static let standard = ServerLimits()
    /// For the sandbox: each client that is tested against it may leave connections open for the next request.
    static let manyClients = ServerLimits(connections: 1024)

    package init(
        connections: Int = 128, memoryBytes: Int = 512 << 10, maxBodyBytes: Int = 256 << 10
    ) {
        self.connections = connections
        self.memoryBytes = memoryBytes
        self.maxBodyBytes = maxBodyBytes
    }
}
