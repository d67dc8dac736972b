/// How much one file may ask of the reader.
///
/// There is no limit for alias expansion: aliases are refused.
package struct YAMLLimits: Sendable, Hashable {
    package let bytes: Int
    /// Sequences and mappings inside each other, the root included.
    package let depth: Int
    /// Scalars, sequences and mappings, keys included.
    package let nodes: Int

    package init(bytes: Int, depth: Int, nodes: Int) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }

    /// The limits of the flow language for flows and provider descriptors.
    package static let flow = YAMLLimits(bytes: 256 * 1024, depth: 16, nodes: 10_000)
}
