internal import FlowLanguage
package import JOSE
internal import OAuthProtocol

/// A hook's call and reply as JSON: what programs and servers see (flow/1 §9, wire contract version 1).
package enum HookWire {
    /// Bytes in each direction.
    package static let limit = 1 << 20

    // MARK: The call

    package static func encode(_ call: HookCall) -> String {
        var object: JSONObject = [
            "hook": "1", "id": .string(call.hook), "point": .string(call.point.rawValue),
            "run": [
                "id": .string(call.runID), "seq": .int(Int64(call.sequence)), "dry_run": .bool(call.isDryRun),
            ],
            "flow": [
                "id": .string(call.flow), "version": .int(Int64(call.version)),
                "program": .string("sha256:\(call.program)"),
            ],
            "values": .object(JSONObject(sorting: call.values) { $0 }),
            "secrets": .object(JSONObject(sorting: call.secrets) { .string($0.reveal()) }),
        ]
        if let step = call.step {
            object["step"] = [
                "id": .string(step.id), "kind": .string(step.kind.rawValue), "visit": .int(Int64(step.visit)),
                "attempt": .int(Int64(step.attempt)), "outcome": step.outcome.map { .string($0) } ?? .null,
            ]
        }
        for (name, value) in call.facts { object[name] = value }
        return JSONValue.object(object).serialize() + "\n"
    }

    // MARK: The reply

    /// The answer of a program or a server; nothing at all means that the run goes on.
    package static func read(_ bytes: [UInt8]) -> HookReply {
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) { return HookReply() }
        let form = "its answer is not one JSON object"
        do throws(JSONError) {
            guard let answer = try JSON.parse(bytes).objectValue else { return .failed(form) }
            return reply(answer)
        } catch {
            return .failed("\(form): \(error.summary)")
        }
    }

    private static let members = [
        "decision", "message", "to", "set", "args", "headers", "query", "outcome", "presented", "meta",
    ]

    /// - Returns: A failed reply for what is no answer.
    package static func reply(_ answer: JSONObject) -> HookReply {
        do throws(Malformed) {
            for name in answer.map(\.key) where !members.contains(name) {
                throw Malformed(
                    reason: "its answer has an unknown member \"\(RemoteText.sanitize(name, limit: 40))\"")
            }
            var reply = HookReply(try decision(answer), set: try object("set", answer))
            reply.arguments = try object("args", answer)
            reply.headers = try texts("headers", answer)
            reply.query = try texts("query", answer)
            reply.meta = try object("meta", answer)
            reply.outcome = try text("outcome", answer)
            if let presented = answer["presented"] {
                guard let flag = presented.boolValue else { throw wrong("presented", "true nor false") }
                reply.isPresented = flag
            }
            return reply
        } catch {
            return .failed(error.reason)
        }
    }

    /// An answer that is none.
    private struct Malformed: Error {
        let reason: String
    }

    private static func wrong(_ name: String, _ form: String) -> Malformed {
        Malformed(reason: "\"\(name)\" in its answer is neither \(form)")
    }

    private static func decision(_ answer: JSONObject) throws(Malformed) -> HookReply.Decision {
        let word = try text("decision", answer) ?? "continue"
        let target = try text("to", answer)
        if target != nil, word != "goto" {
            throw Malformed(reason: "\"to\" in its answer belongs to the decision goto")
        }
        switch word {
        case "continue": return .continue
        case "abort": return .abort(message: RemoteText.sanitize(try text("message", answer) ?? "refused"))
        case "skip": return .skip
        case "veto": return .veto
        case "goto":
            guard let target else { throw Malformed(reason: "goto in its answer has no \"to\"") }
            return .goto(RemoteText.sanitize(target, limit: 80))
        default:
            throw Malformed(
                reason: "\"decision\" in its answer is none of continue, abort, skip, goto, veto")
        }
    }

    private static func text(_ name: String, _ answer: JSONObject) throws(Malformed) -> String? {
        guard let value = answer[name], value != .null else { return nil }
        guard let text = value.stringValue else {
            throw Malformed(reason: "\"\(name)\" in its answer is not a text")
        }
        return text
    }

    private static func object(
        _ name: String, _ answer: JSONObject
    ) throws(Malformed) -> [String: JSONValue] {
        guard let value = answer[name] else { return [:] }
        guard let members = value.objectValue else {
            throw Malformed(reason: "\"\(name)\" in its answer is not an object")
        }
        return Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func texts(_ name: String, _ answer: JSONObject) throws(Malformed) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in try object(name, answer) {
            guard let text = value.stringValue else {
                throw Malformed(reason: "\"\(name)\" in its answer holds what is not a text")
            }
            texts[key] = text
        }
        return texts
    }
}

extension HookReply {
    /// The answer as the hook would write it.
    package var wire: JSONObject {
        var answer: JSONObject = [:]
        switch decision {
        case .continue: break
        case .abort(let message):
            answer["decision"] = "abort"
            answer["message"] = .string(message)
        case .skip: answer["decision"] = "skip"
        case .veto: answer["decision"] = "veto"
        case .goto(let target):
            answer["decision"] = "goto"
            answer["to"] = .string(target)
        }
        let objects = [("set", assignments), ("args", arguments), ("meta", meta)]
        let texts = [("headers", headers), ("query", query)].map { name, members in
            (name, members.mapValues { JSONValue.string($0) })
        }
        for (name, members) in objects + texts where !members.isEmpty {
            answer[name] = .object(JSONObject(sorting: members) { $0 })
        }
        answer["outcome"] = outcome.map { .string($0) }
        answer["presented"] = isPresented.map { .bool($0) }
        return answer
    }
}
