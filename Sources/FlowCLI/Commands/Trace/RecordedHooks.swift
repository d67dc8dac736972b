internal import FlowEngine
internal import FlowLanguage
internal import Synchronization

/// Answers the hooks of a replay as they answered in a run: what they decided is in its trace.
///
/// The values that they wrote are there for people, masked and without their types. A hook that wrote some answers as its
/// `simulate` says.
final class RecordedHooks: EffectHandler {
    /// A hook at one passage through a step; visit 0 is outside of all.
    private struct Place: Hashable {
        let hook: String
        let point: String
        let step: String
        let visit: Int
    }

    private let planned: PlannedEffects
    /// What is still to come of each, in order.
    private let replies: Mutex<[Place: [HookReply]]>

    init(_ planned: PlannedEffects, _ events: [TraceEvent]) {
        self.planned = planned
        var replies: [Place: [HookReply]] = [:]
        var visits: [String: Int] = [:]
        for event in events {
            switch event.body {
            case .stepStart(let start): visits[event.step ?? ""] = start.visit
            case .hook(let hook):
                let isOfStep = Self.isOfStep(hook.point)
                let step = isOfStep ? event.step ?? "" : ""
                let place = Place(
                    hook: hook.id, point: hook.point, step: step, visit: isOfStep ? visits[step] ?? 1 : 0)
                replies[place, default: []].append(Self.reply(hook))
            default: break
            }
        }
        self.replies = Mutex(replies)
    }

    private static func isOfStep(_ point: String) -> Bool { !point.hasPrefix("flow.") }

    /// The answer that has the decision; `would run` where only `simulate` can say more.
    private static func reply(_ hook: TracedHook) -> HookReply {
        let words = hook.decision.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "abort": return HookReply(.abort(message: hook.message ?? "refused"))
        case "skip": return HookReply(.skip)
        case "veto": return HookReply(.veto)
        case "goto" where words.count == 2: return HookReply(.goto(words[1]))
        case "failed": return .failed(hook.message ?? "it failed")
        case "continue":
            var reply = HookReply()
            reply.outcome = hook.wrote.lazy.compactMap(Self.outcome).first
            let isTold = reply.outcome != nil || hook.wrote.isEmpty
            return isTold ? reply : .failed(HookReply.wouldRun)
        default: return .failed(HookReply.wouldRun)
        }
    }

    private static func outcome(_ written: String) -> String? {
        let mark = "outcome."
        return written.hasPrefix(mark) ? String(written.dropFirst(mark.count)) : nil
    }

    func perform(_ request: EffectRequest, events: any EffectEvents) async -> InputEvent {
        guard case .hook(let call) = request.effect else {
            return await planned.perform(request, events: events)
        }
        let place = Place(
            hook: call.hook, point: call.point.rawValue, step: call.step?.id ?? "",
            visit: call.step?.visit ?? 0)
        let reply = replies.withLock { replies -> HookReply? in
            guard let first = replies[place]?.first else { return nil }
            replies[place]?.removeFirst()
            return first
        }
        return .hook(reply ?? .failed(HookReply.wouldRun))
    }

    func now() -> Int64 { planned.now() }

    func begin() -> RunIdentity { planned.begin() }
}
