package import FlowEngine
internal import JOSE
internal import OAuthProtocol

/// Reads the JSON Lines that `JSONLinesTrace` writes.
///
/// Types and members that it does not know are skipped, as the format asks of every reader: a trace of a newer flowrun
/// can be read, only with less in it.
package struct TraceReader: Sendable {
    /// What is wrong with a trace.
    package struct Mistake: Error, Sendable, Hashable {
        /// From 1; 0 for the whole.
        package let line: Int
        package let message: String
    }

    /// Whose version of the format can be read.
    private static let version: Int64 = 1

    /// One whose run was killed, or still goes on, has no `run.end`; half a line at its end is not counted.
    ///
    /// - Throws: `Mistake` for what is no trace, or one whose lines are not all there.
    package static func read(_ bytes: some Collection<UInt8>) throws(Mistake) -> [TraceEvent] {
        var events: [TraceEvent] = []
        var sequence = 0
        var number = 0
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines {
            number += 1
            guard !line.isEmpty else { continue }
            // A process that is killed while it writes leaves half a line.
            if number == lines.count, number > 1, (try? JSON.parse(Array(line))) == nil { break }
            let object = try object(line, number)
            guard let written = object["v"]?.intValue else {
                throw Mistake(line: number, message: "no event of a trace: it has no version (v)")
            }
            guard written == version else {
                throw Mistake(
                    line: number, message: "a trace of version \(written), and this program reads \(version)")
            }
            guard let found = object["seq"]?.intValue.map(Int.init) else {
                throw Mistake(line: number, message: "an event without a sequence number")
            }
            if found == 1, sequence > 0 {
                throw Mistake(line: number, message: "a second trace begins here, and a file holds one")
            }
            guard found == sequence + 1 else {
                throw Mistake(
                    line: number, message: "event \(sequence + 1) is missing: \(found) follows \(sequence)")
            }
            sequence = found
            let event: TraceEvent?
            do throws(TraceMembers.Missing) {
                event = try Self.event(object, found)
            } catch {
                throw Mistake(
                    line: number, message: "an event \"\(error.type)\" without a good \"\(error.member)\"")
            }
            if let event { events.append(event) }
        }
        guard case .runStart = events.first?.body else {
            throw Mistake(line: events.isEmpty ? 0 : 1, message: "a trace begins with run.start")
        }
        return events
    }

    private static func object(_ line: some Collection<UInt8>, _ number: Int) throws(Mistake) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(Array(line))
        } catch {
            let whole = number == 1 ? ": a trace has an event on each line, and a report of one is none" : ""
            throw Mistake(line: number, message: "this is not JSON, from byte \(error.offset) on\(whole)")
        }
        guard let object = value.objectValue else {
            throw Mistake(line: number, message: "this is no JSON object")
        }
        return object
    }

    private static func event(
        _ object: JSONObject, _ sequence: Int
    ) throws(TraceMembers.Missing) -> TraceEvent? {
        let members = TraceMembers(object, type: object["type"]?.stringValue ?? "")
        guard let body = try members.body() else { return nil }
        return TraceEvent(
            sequence: sequence, time: try members.instant("t"), step: members.optionalText("step"), body: body
        )
    }
}
