/// Where the nodes of a graph stand and how the ways between them run.
///
/// Nodes are one below the other. A way to the next node goes straight down; every other one leaves its node at a port
/// of its own, runs up or down in a lane beside the nodes and comes back at another port: right for ways forward, left
/// for ways back.
struct StateLayout: Sendable {
    struct Box: Sendable {
        let x: Int
        let y: Int
        let width: Int
        let height: Int

        var middle: Int { y + height / 2 }
    }

    struct Way: Sendable {
        let path: String
        let tip: String
        let label: (x: Int, y: Int)
        let labelEndsThere: Bool
    }

    private enum Side: Sendable {
        case left, right
    }

    static let boxWidth = 190
    private static let labelWidth = 150
    private static let lane = 16
    private static let port = 17
    private static let gap = 34

    private(set) var boxes: [Box] = []
    private(set) var ways: [Way] = []
    private(set) var width = 0
    private(set) var height = 0

    init(_ graph: StateGraph) {
        let sides = graph.edges.map(Self.side)
        let ports = Self.ports(graph, sides)
        let lanes = Self.lanes(graph, sides)
        let left = Self.laneCount(lanes, sides, .left)
        let start = left == 0 ? 12 : Self.labelWidth + (left + 1) * Self.lane
        var y = 36
        for node in graph.nodes.indices {
            let most = max(ports.counts[node].left, ports.counts[node].right)
            let height = max(38, most * Self.port + 10)
            boxes.append(Box(x: start, y: y, width: Self.boxWidth, height: height))
            y += height + Self.gap
        }
        height = y - Self.gap + 12
        let right = Self.laneCount(lanes, sides, .right)
        width = start + Self.boxWidth + (right == 0 ? 120 : Self.labelWidth + (right + 1) * Self.lane)
        for index in graph.edges.indices {
            let edge = graph.edges[index]
            guard let side = sides[index] else {
                ways.append(straight(edge))
                continue
            }
            ways.append(
                bent(
                    edge, side, lane: lanes[index], leaves: ports.leaving[index],
                    enters: ports.entering[index]))
        }
    }

    /// `absent`, which the run took, and `, insufficient +1`, which it did not.
    static func label(_ edge: StateGraph.Edge) -> (taken: String, others: String) {
        for count in stride(from: edge.outcomes.count, to: 1, by: -1) {
            let label = label(edge, shown: count)
            if TextWidth.of(label.taken + label.others) <= labelWidth - 14 { return label }
        }
        let label = label(edge, shown: 1)
        let room = max(20, labelWidth - 14 - TextWidth.of(label.others))
        return edge.taken > 0
            ? (TextWidth.cut(label.taken, to: room), label.others)
            : ("", TextWidth.cut(label.others, to: labelWidth - 14))
    }

    private static func label(
        _ edge: StateGraph.Edge, shown count: Int
    ) -> (taken: String, others: String) {
        let names = edge.outcomes.prefix(count).map(PlainLine.of)
        let taken = names.prefix(edge.taken).joined(separator: ", ")
        let others = names.dropFirst(edge.taken).joined(separator: ", ")
        let comma = taken.isEmpty || others.isEmpty ? "" : ", "
        let rest = edge.outcomes.count - count
        return (taken, comma + others + (rest > 0 ? " +\(rest)" : ""))
    }

    // MARK: Ports and lanes

    private static func side(_ edge: StateGraph.Edge) -> Side? {
        edge.to == edge.from + 1 ? nil : edge.to > edge.from ? .right : .left
    }

    private struct Ports {
        /// Places on the side of the node, from 0.
        var leaving: [Int]
        var entering: [Int]
        var counts: [(left: Int, right: Int)]
    }

    private static func ports(_ graph: StateGraph, _ sides: [Side?]) -> Ports {
        let none = [Int](repeating: 0, count: graph.edges.count)
        var ports = Ports(
            leaving: none, entering: none,
            counts: [(left: Int, right: Int)](repeating: (0, 0), count: graph.nodes.count))
        func take(_ node: Int, _ side: Side) -> Int {
            defer { if side == .left { ports.counts[node].left += 1 } else { ports.counts[node].right += 1 } }
            return side == .left ? ports.counts[node].left : ports.counts[node].right
        }
        for node in graph.nodes.indices {
            // What comes in stands above what goes out; the shortest way out is the lowest.
            for index in graph.edges.indices where graph.edges[index].to == node {
                if let side = sides[index] { ports.entering[index] = take(node, side) }
            }
            let out = graph.edges.indices.filter { graph.edges[$0].from == node }
            for index in out.sorted(by: { span(graph.edges[$0]) > span(graph.edges[$1]) }) {
                if let side = sides[index] { ports.leaving[index] = take(node, side) }
            }
        }
        return ports
    }

    private static func span(_ edge: StateGraph.Edge) -> Int { abs(edge.to - edge.from) }

    /// The innermost lane in which nothing else runs at the same height; short ways are inside.
    private static func lanes(_ graph: StateGraph, _ sides: [Side?]) -> [Int] {
        var lanes = [Int](repeating: 0, count: graph.edges.count)
        for side in [Side.left, .right] {
            var taken: [[ClosedRange<Int>]] = []
            let edges = graph.edges.indices.filter { sides[$0] == side }
            for index in edges.sorted(by: { span(graph.edges[$0]) < span(graph.edges[$1]) }) {
                let edge = graph.edges[index]
                let range = min(edge.from, edge.to)...max(edge.from, edge.to)
                let free = taken.firstIndex { lane in !lane.contains { $0.overlaps(range) } }
                let lane = free ?? taken.count
                if free == nil { taken.append([]) }
                taken[lane].append(range)
                lanes[index] = lane
            }
        }
        return lanes
    }

    private static func laneCount(_ lanes: [Int], _ sides: [Side?], _ side: Side) -> Int {
        (lanes.indices.filter { sides[$0] == side }.map { lanes[$0] }.max() ?? -1) + 1
    }

    // MARK: Ways

    private func straight(_ edge: StateGraph.Edge) -> Way {
        let (from, to) = (boxes[edge.from], boxes[edge.to])
        let x = from.x + 40
        let (top, bottom) = (from.y + from.height, to.y)
        return Way(
            path: "M\(x) \(top)V\(bottom - 8)", tip: "M\(x) \(bottom - 1)l-4.5 -9h9z",
            label: (x + 10, (top + bottom) / 2 + 3), labelEndsThere: false)
    }

    private func bent(_ edge: StateGraph.Edge, _ side: Side, lane: Int, leaves: Int, enters: Int) -> Way {
        let sign = side == .right ? 1 : -1
        let border = { (box: Box) in side == .right ? box.x + box.width : box.x }
        let (from, to) = (boxes[edge.from], boxes[edge.to])
        let (y1, y2) = (portY(from, leaves), portY(to, enters))
        let (x1, x2) = (border(from), border(to))
        let turn = x1 + sign * (Self.labelWidth + (lane + 1) * Self.lane)
        // A way from a node to itself is a way back too.
        let down = y2 >= y1 ? 1 : -1
        let radius = min(8, abs(y2 - y1) / 2)
        let path =
            "M\(x1) \(y1)H\(turn - sign * radius)q\(sign * radius) 0 \(sign * radius) \(down * radius)"
            + "V\(y2 - down * radius)q0 \(down * radius) \(-sign * radius) \(down * radius)H\(x2 + sign * 8)"
        return Way(
            path: path, tip: "M\(x2 + sign) \(y2)l\(sign * 9) -4.5v9z", label: (x1 + sign * 8, y1 - 4),
            labelEndsThere: side == .left)
    }

    private func portY(_ box: Box, _ port: Int) -> Int { box.y + 14 + port * Self.port }
}
