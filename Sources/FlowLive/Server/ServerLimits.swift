/// The bounds of one loopback server.
package struct ServerLimits: Sendable, Hashable {
    /// Connections served at once; more wait in the backlog.
    package var connections: Int
    /// A connection without progress is closed after this.
    package var idleSeconds: Int
    /// Memory of one connection, which bounds its request line and header fields together.
    package var memoryBytes: Int
    package var maxBodyBytes: Int

    package static let standard = ServerLimits()

    package init(
        connections: Int = 128, idleSeconds: Int = 15, memoryBytes: Int = 32 << 10,
        maxBodyBytes: Int = 64 << 10
    ) {
        self.connections = connections
        self.idleSeconds = idleSeconds
        self.memoryBytes = memoryBytes
        self.maxBodyBytes = maxBodyBytes
    }
}
