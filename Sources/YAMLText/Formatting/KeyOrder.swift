/// In which order the keys of a mapping are written, and those of the mappings below it.
package indirect enum KeyOrder: Sendable {
    /// As the author wrote them.
    case asWritten
    /// Known keys first, in this order; others after them as the author wrote them.
    case keys([(name: String, value: KeyOrder)])
    /// Names that the author chose, as the author wrote them.
    case names(@Sendable (_ name: String, _ value: YAMLNode) -> KeyOrder)
    case list(KeyOrder)
    /// The first that has the form of the node.
    case either([KeyOrder])

    func order(of name: String, _ value: YAMLNode) -> KeyOrder {
        switch self {
        case .keys(let keys): keys.first { $0.name == name }?.value ?? .asWritten
        case .names(let order): order(name, value)
        case .asWritten, .list, .either: .asWritten
        }
    }

    var ofItems: KeyOrder {
        if case .list(let order) = self { order } else { .asWritten }
    }

    /// The alternative that a node is.
    func resolved(for node: YAMLNode) -> KeyOrder {
        guard case .either(let orders) = self else { return self }
        return orders.first { $0.fits(node) }?.resolved(for: node) ?? .asWritten
    }

    private func fits(_ node: YAMLNode) -> Bool {
        switch self {
        case .asWritten: node.scalar != nil
        case .keys, .names: node.mapping != nil
        case .list: node.sequence != nil
        case .either(let orders): orders.contains { $0.fits(node) }
        }
    }

    /// Where each entry goes: positions in `entries`, in the canonical order.
    func positions(of entries: [YAMLMapping.Entry]) -> [Int] {
        guard case .keys(let keys) = self else { return Array(entries.indices) }
        let rank = entries.map { entry in keys.firstIndex { $0.name == entry.key } ?? keys.count }
        return entries.indices.sorted { (rank[$0], $0) < (rank[$1], $1) }
    }
}
