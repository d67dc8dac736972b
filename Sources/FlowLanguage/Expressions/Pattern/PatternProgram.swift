/// One instruction of a compiled pattern.
enum PatternInstruction: Sendable, Hashable {
    /// Read one character of that class.
    case one(UInt16)
    /// Go on at both places.
    case split(UInt16, UInt16)
    case jump(UInt16)
    /// The text may end here.
    case match
}

/// Writes the instructions of a pattern. `PatternParser` has bounded their number.
struct PatternCompiler {
    var code: ContiguousArray<PatternInstruction> = []
    private(set) var classes: [CharacterClass] = []

    mutating func append(_ node: PatternNode) {
        switch node {
        case .one(let set):
            let index = classes.firstIndex(of: set) ?? classes.count
            if index == classes.count { classes.append(set) }
            code.append(.one(UInt16(index)))
        case .sequence(let nodes):
            for node in nodes { append(node) }
        case .alternatives(let branches): alternatives(branches)
        case .repeated(let node, let least, let most):
            for _ in 0..<least { append(node) }
            if let most { optional(node, most - least) } else { loop(node) }
        }
    }

    private mutating func alternatives(_ branches: [PatternNode]) {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let split = reserve()
            append(branch)
            ends.append(reserve())
            code[split] = .split(UInt16(split + 1), here)
        }
        if let last = branches.last { append(last) }
        for end in ends { code[end] = .jump(here) }
    }

    /// Up to `count` times, each time only after the one before.
    private mutating func optional(_ node: PatternNode, _ count: Int) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(reserve())
            append(node)
        }
        for split in splits { code[split] = .split(UInt16(split + 1), here) }
    }

    private mutating func loop(_ node: PatternNode) {
        let split = reserve()
        append(node)
        code.append(.jump(UInt16(split)))
        code[split] = .split(UInt16(split + 1), here)
    }

    private var here: UInt16 { UInt16(code.count) }

    /// Leaves room for an instruction that is not known yet.
    private mutating func reserve() -> Int {
        code.append(.match)
        return code.count - 1
    }
}

/// Runs a compiled pattern: follows all its ways through the text at once, so that each character costs at most one
/// look at each instruction.
struct PatternMatcher {
    private let code: ContiguousArray<PatternInstruction>
    private let classes: [CharacterClass]
    /// The places that the text read so far may have led to.
    private var places: [Int] = []
    /// The step at which each place was last reached.
    private var reached: [Int]
    private var step = 0
    private var waiting: [Int] = []
    private var isMatch = false

    init(_ pattern: Pattern) {
        code = pattern.code
        classes = pattern.classes
        reached = Array(repeating: -1, count: pattern.code.count)
    }

    mutating func run(_ text: String) -> Bool {
        reach(0)
        var before: [Int] = []
        for scalar in text.unicodeScalars {
            swap(&before, &places)
            places.removeAll(keepingCapacity: true)
            isMatch = false
            step += 1
            for place in before {
                if case .one(let set) = code[place], classes[Int(set)].contains(scalar) { reach(place + 1) }
            }
            if places.isEmpty, !isMatch { return false }
        }
        return isMatch
    }

    /// Adds a place, and all that lie behind it without a character between.
    private mutating func reach(_ place: Int) {
        var next: Int? = place
        while let place = next {
            next = nil
            if reached[place] != step {
                reached[place] = step
                switch code[place] {
                case .one: places.append(place)
                case .match: isMatch = true
                case .jump(let target): next = Int(target)
                case .split(let first, let second):
                    waiting.append(Int(second))
                    next = Int(first)
                }
            }
            if next == nil { next = waiting.popLast() }
        }
    }
}
