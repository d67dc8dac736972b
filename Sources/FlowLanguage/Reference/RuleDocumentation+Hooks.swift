/// Rules of hooks.
extension RuleDocumentation {
    static let hooks: [RuleDocumentation] = [
        RuleDocumentation(
            "FL070",
            meaning: """
                The hook has a key that hooks do not know. Hooks in a step's own list have no at, steps
                and kinds: where they fire is said by their place.
                """,
            reason: """
                A misspelt filter would let the hook fire everywhere.
                """,
            wrong: """
                hooks:
                  - { at: step.after, step: [verify], emit: { event: checked } }
                """,
            right: """
                hooks:
                  - { at: step.after, steps: [verify], emit: { event: checked } }
                """),
        RuleDocumentation(
            "FL071",
            meaning: """
                at names one of the points at which hooks fire, exactly one of them.
                """,
            reason: """
                A hook at a point that does not exist never fires.
                """,
            wrong: """
                hooks:
                  - { at: after.step, emit: { event: checked } }
                """,
            right: """
                hooks:
                  - { at: step.after, emit: { event: checked } }
                """),
        RuleDocumentation(
            "FL072",
            meaning: """
                Two hooks of the flow have the same id.
                """,
            reason: """
                Traces, errors and trust go by the id of a hook.
                """,
            wrong: """
                hooks:
                  - { id: audit, at: flow.start, emit: { event: begin } }
                  - { id: audit, at: flow.end, emit: { event: end } }
                """,
            right: """
                hooks:
                  - { id: audit_begin, at: flow.start, emit: { event: begin } }
                  - { id: audit_end, at: flow.end, emit: { event: end } }
                """),
        RuleDocumentation(
            "FL073",
            meaning: """
                A hook has exactly one action: set, assert, map, emit, exec, http or native.
                """,
            reason: """
                With two actions nobody could say what holds when the second one fails.
                """,
            wrong: """
                hooks:
                  - id: both
                    at: step.after
                    set: { vars.seen: "true" }
                    emit: { event: seen }
                """,
            right: """
                hooks:
                  - { id: mark, at: step.after, set: { vars.seen: "true" } }
                  - { id: tell, at: step.after, emit: { event: seen } }
                """),
        RuleDocumentation(
            "FL074",
            meaning: """
                A filter of the hook names a step or a kind that does not exist; of an outcome FL019 says it.
                """,
            reason: """
                The hook would fire less often than its author believes: for an audit hook that is a
                hole.
                """,
            wrong: """
                hooks:
                  - { at: step.after, steps: [verfy], emit: { event: checked } }
                """,
            right: """
                hooks:
                  - { at: step.after, steps: [verify], emit: { event: checked } }
                """),
        RuleDocumentation(
            "FL075",
            meaning: """
                writes or set names a variable that vars does not declare.
                """,
            reason: """
                What a hook may write is declared with its type, so that the rest of the flow can rely
                on it.
                """,
            wrong: """
                hooks:
                  - { at: step.after, set: { vars.tenat: acme } }
                """,
            right: """
                vars:
                  tenant: optional string
                hooks:
                  - { at: step.after, set: { vars.tenant: acme } }
                """),
        RuleDocumentation(
            "FL076",
            meaning: """
                A hook writes something other than a variable or the profile of a userinfo step.
                """,
            reason: """
                State, nonce, claims and tokens are results of checks. If a hook could write them, no
                check would mean anything.
                """,
            wrong: """
                hooks:
                  - { id: fix, at: step.after, native: { name: fix }, writes: [steps.verify.claims] }
                """,
            right: """
                hooks:
                  - { id: fix, at: step.after, native: { name: fix }, writes: [vars.tenant] }
                """),
        RuleDocumentation(
            "FL077",
            meaning: """
                An argument of an exec hook holds a template.
                """,
            reason: """
                A value in an argument is seen by everybody who lists processes, and can be taken for an
                option. Values reach the program as JSON on its standard input; list them under reads.
                """,
            wrong: """
                exec: { argv: [./hooks/audit, "${steps.verify.subject}"] }
                """,
            right: """
                exec: { argv: [./hooks/audit] }
                reads: [steps.verify.subject]
                """),
        RuleDocumentation(
            "FL078",
            meaning: """
                The hook reads a secret that grants does not list.
                """,
            reason: """
                Handing a secret to a program is a decision. grants makes it one that a reviewer can
                find.
                """,
            wrong: """
                reads: [tokens.main.access_token]
                """,
            right: """
                grants: [tokens.main.access_token]
                """),
        RuleDocumentation(
            "FL079",
            meaning: """
                The filters of the hook match no step and no outcome of this flow.
                """,
            reason: """
                The hook never fires; mostly a filter names the wrong outcome.
                """,
            wrong: """
                hooks:
                  - { at: step.after, steps: [store], outcomes: [invalid_grant], emit: { event: lost } }
                """,
            right: """
                hooks:
                  - { at: step.after, steps: [refresh], outcomes: [invalid_grant], emit: { event: lost } }
                """),
        RuleDocumentation(
            "FL080",
            meaning: """
                The value is only set by a hook that may fail without ending the run (on_failure:
                continue).
                """,
            reason: """
                When the hook fails, the value is missing. Give it a start value, or let the hook's
                failure end the run.
                """,
            wrong: """
                vars:
                  tenant: string
                hooks:
                  - { at: step.after, native: { name: tenant }, writes: [vars.tenant], on_failure: continue }
                """,
            right: """
                vars:
                  tenant: { type: string, init: none }
                hooks:
                  - { at: step.after, native: { name: tenant }, writes: [vars.tenant], on_failure: continue }
                """),
        RuleDocumentation(
            "FL081",
            meaning: """
                The program of an exec hook is missing, cannot be executed, is a script with the line ends of
                Windows, may be written by everybody, itself or its folder, or lies outside of the flow's
                folder, as what a link leads to may. A bare name that PATH does not
                have is a warning of `lint`, since another machine may have it; `run` and `trust` refuse it.
                """,
            reason: """
                Whoever can change the program can read what the hook is given.
                """,
            wrong: """
                exec: { argv: [../shared/audit] }
                """,
            right: """
                exec: { argv: [./hooks/audit] }
                """),
        RuleDocumentation(
            "FL082",
            meaning: """
                The URL of an http hook is neither https nor on this machine, or the call is not signed.
                """,
            reason: """
                The receiver must be able to tell a call of this flow from one of anybody else.
                """,
            wrong: """
                http: { url: "http://audit.example/hook" }
                """,
            right: """
                http: { url: "https://audit.example/hook", auth: { hmac_sha256: AUDIT_KEY } }
                """),
        RuleDocumentation(
            "FL083",
            meaning: """
                A goto of a hook, after a failure or by its answer, closes a loop that has no bound.
                """,
            reason: """
                The same as FL034: what drives the loop comes from outside.
                """,
            wrong: """
                on_failure: { goto: authorize }
                """,
            right: """
                steps:
                  authorize: { visits: 2, next: { ok: callback, headless: failed, exhausted: failed } }
                """),
        RuleDocumentation(
            "FL084",
            meaning: """
                A hook whose answer may change something has no simulate.
                """,
            reason: """
                A dry run runs no programs: without simulate it cannot show what follows from the hook's
                answer.
                """,
            wrong: """
                hooks:
                  - { id: tenant, at: step.after, native: { name: tenant }, writes: [vars.tenant] }
                """,
            right: """
                hooks:
                  - id: tenant
                    at: step.after
                    native: { name: tenant }
                    writes: [vars.tenant]
                    simulate: { set: { vars.tenant: demo } }
                """),
        RuleDocumentation(
            "FL085",
            meaning: """
                The hook has an action, a power under may, writes or a goto that its point does not give,
                or a simulate that goes beyond what it may.
                """,
            reason: """
                Each point lets its hooks do what cannot harm the protocol there. Nothing else of an
                answer is used, so a hook that counted on it would fail in every run.
                """,
            wrong: """
                hooks:
                  - { id: tag, at: step.request, native: { name: tag }, writes: [vars.tag] }
                """,
            right: """
                hooks:
                  - id: tag
                    at: step.request
                    native: { name: tag }
                    may: [headers]
                    simulate: { headers: { x-request-tag: demo } }
                """),
    ]
}
