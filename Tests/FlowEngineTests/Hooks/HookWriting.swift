import FlowEngine
import FlowTesting

/// What tests of the points of hooks write again and again.
protocol HookWriting {}

extension HookWriting {
    static func hook(_ keys: String, id: String = "h") -> String {
        "  - { id: \(id), \(keys), native: { name: \(id) } }"
    }

    static func extra(_ hooks: String..., vars: String = "log: { type: string, init: '' }") -> String {
        "vars: { \(vars) }\nhooks:\n\(hooks.joined(separator: "\n"))"
    }

    static func answer(_ reply: HookReply = HookReply(), id: String = "h") -> ScriptedEffect {
        ScriptedEffect("hook \(id)", .hook(reply))
    }

    static func reply(_ change: (inout HookReply) -> Void) -> HookReply {
        var reply = HookReply()
        change(&reply)
        return reply
    }

    static var http: String {
        "{ do: http, with: { url: \"https://p.example/api\" }, next: done }"
    }
}
