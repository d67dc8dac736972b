internal import FlowEngine
internal import JOSE

/// Looks for secrets in a text that is about to be shown to others: a trace, a report, a log.
package struct LeakScanner: Sendable {
    /// A place where a secret is.
    package struct Leak: Sendable, Hashable {
        /// From 1.
        package let line: Int
        /// In characters, from 1.
        package let column: Int
        /// `the value of CLIENT_SECRET`, `a JSON Web Token`.
        package let what: String
        /// Whether it is surely a secret, and does not only look like one.
        package let isSure: Bool
    }

    private let index: SecretIndex

    /// - Parameter known: Values that must not be there, with what they are called; shorter than 8 bytes they are looked
    ///   for as words only, shorter than 4 not at all, since they would be found in everything.
    package init(known: [(name: String, value: String)] = []) {
        index = known.reduce(into: SecretIndex()) { $0.add($1.value, as: "the value of \($1.name)") }
    }

    /// What was found, in the order of the text, in a time that its length alone decides.
    package func leaks(in text: String) -> [Leak] {
        var text = text
        return text.withUTF8 { bytes in
            var places = TextPlaces(bytes)
            return findings(in: bytes).map { finding in
                let place = places.place(of: finding.range.lowerBound)
                return Leak(
                    line: place.line, column: place.column, what: finding.what, isSure: finding.isSure)
            }
        }
    }

    /// Something in the UTF-8 of a text.
    struct Finding {
        var range: Range<Int>
        let what: String
        let isSure: Bool
    }

    /// In order, one at each place.
    private func findings(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
        var sure = index.findings(in: bytes).map {
            Finding(range: $0.range, what: $0.placeholder, isSure: true)
        }
        var unsure: [Finding] = []
        var start = 0
        var before = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let line = UnsafeBufferPointer(rebasing: line)
            let shapes = SecretShapes.findings(in: line).map {
                Finding(range: $0.range, what: Self.words($0.kind), isSure: true)
            }
            for var finding in shapes + SuspectWords.findings(in: line, after: before) {
                finding.range = (start + finding.range.lowerBound)..<(start + finding.range.upperBound)
                if finding.isSure { sure.append(finding) } else { unsure.append(finding) }
            }
            start += line.count + 1
            before = line
        }
        sure.sort { $0.range.lowerBound < $1.range.lowerBound }
        let all = (sure + Self.outside(sure, unsure)).sorted { $0.range.lowerBound < $1.range.lowerBound }
        return all.indices.filter { $0 == 0 || all[$0].range.lowerBound != all[$0 - 1].range.lowerBound }
            .map { all[$0] }
    }

    /// Those that touch none of what is surely a secret. Both come in order.
    private static func outside(_ sure: [Finding], _ unsure: [Finding]) -> [Finding] {
        var next = 0
        var covered = 0
        return unsure.filter { finding in
            while next < sure.count, sure[next].range.lowerBound < finding.range.upperBound {
                covered = max(covered, sure[next].range.upperBound)
                next += 1
            }
            return covered <= finding.range.lowerBound
        }
    }

    private static func words(_ kind: String) -> String {
        switch kind {
        case "jwt": "a JSON Web Token with its signature"
        case "private_key": "a private key"
        default: "a credential after its scheme"
        }
    }
}

/// Lines and columns of places that come in order, each counted from the one before: a text may have only one line.
private struct TextPlaces {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var line = 1
    private var column = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// From 1; columns are characters.
    mutating func place(of target: Int) -> (line: Int, column: Int) {
        for place in offset..<target where bytes[place] == UInt8(ascii: "\n") {
            (offset, line, column) = (place + 1, line + 1, 1)
        }
        column += String(decoding: bytes[offset..<target], as: UTF8.self).count
        offset = target
        return (line, column)
    }
}
