/// Rules of outcomes, edges and loops.
extension RuleDocumentation {
    static let routing: [RuleDocumentation] = [
        RuleDocumentation(
            "FL020",
            meaning: """
                The flow's start names no step.
                """,
            reason: """
                Every run begins there.
                """,
            wrong: """
                start: login
                steps:
                  authorize: { next: callback }
                """,
            right: """
                start: authorize
                steps:
                  authorize: { next: callback }
                """),
        RuleDocumentation(
            "FL021",
            meaning: """
                An edge leads to a name that is neither a step nor an end.
                """,
            reason: """
                Steps and ends share one name space. failed and cancelled always exist as ends.
                """,
            wrong: """
                exchange: { next: verfy }
                """,
            right: """
                exchange: { next: verify }
                """),
        RuleDocumentation(
            "FL022",
            meaning: """
                A subflow step names a flow that cannot be found, a flow that leads back to this one, or
                inputs that do not fit those that the other flow declares.
                """,
            reason: """
                Sub-flows are compiled into the flow that uses them. Without an acyclic graph of calls
                that would never end.
                """,
            wrong: """
                steps:
                  device: { do: subflow, with: { flow: devise-login }, next: { done: signed_in } }
                """,
            right: """
                steps:
                  device: { do: subflow, with: { flow: device-login }, next: { done: signed_in } }
                """),
        RuleDocumentation(
            "FL023",
            meaning: """
                A call step names a port that calls does not declare, or gives it other arguments than
                declared.
                """,
            reason: """
                Ports are the typed door to the host program: what goes through is known before the run.
                """,
            wrong: """
                steps:
                  lookup: { do: call, with: { port: acounts.find }, next: done }
                """,
            right: """
                calls:
                  accounts.find: { args: { subject: string }, outcomes: [found, unknown] }
                steps:
                  lookup:
                    do: call
                    with: { port: accounts.find, args: { subject: "${steps.verify.subject}" } }
                    next: { found: done, unknown: refused }
                """),
        RuleDocumentation(
            "FL024",
            meaning: """
                An edge in the long form, or a list of edges, names no target.
                """,
            reason: """
                An edge without to leads nowhere.
                """,
            wrong: """
                next:
                  - { if: inputs.force, max: 1 }
                  - done
                """,
            right: """
                next:
                  - { to: refresh, if: inputs.force, max: 1 }
                  - done
                """),
        RuleDocumentation(
            "FL025",
            meaning: """
                The step does not say where one of its outcomes goes, and neither do the defaults.
                Success and choice outcomes are never covered by the wildcard any: each needs a thought
                of its own.
                """,
            reason: """
                A flow is total: whatever a server, a person or an attacker does, somebody has decided
                what follows. An outcome that nobody thought of is how half a sign-in becomes a sign-in.
                """,
            wrong: """
                restore:
                  next: { ok: userinfo, expired: refresh }
                """,
            right: """
                restore:
                  next:
                    ok: userinfo
                    expired: refresh
                    unrefreshable: authorize
                    absent: authorize
                    insufficient: authorize
                    any: failed
                """),
        RuleDocumentation(
            "FL026",
            meaning: """
                The last edge of a list has an if or a max, so there may be no edge to take.
                """,
            reason: """
                Edges are tried in order; the last one is plain, so that one is always taken.
                """,
            wrong: """
                invalid_grant:
                  - { to: authorize, max: 1 }
                """,
            right: """
                invalid_grant:
                  - { to: authorize, max: 1 }
                  - refused
                """),
        RuleDocumentation(
            "FL027",
            meaning: """
                An edge stands behind one that is always taken.
                """,
            reason: """
                Edges are tried in order. What comes after a plain edge is never tried, so it is either
                superfluous or in the wrong place.
                """,
            wrong: """
                unauthorized:
                  - refused
                  - { to: refresh, max: 1 }
                """,
            right: """
                unauthorized:
                  - { to: refresh, max: 1 }
                  - refused
                """),
        RuleDocumentation(
            "FL028",
            meaning: """
                A condition has the same value in every run.
                """,
            reason: """
                A constant condition decides nothing; mostly something else was meant.
                """,
            wrong: """
                next:
                  - { to: refresh, if: "true || inputs.force" }
                  - done
                """,
            right: """
                next:
                  - { to: refresh, if: inputs.force }
                  - done
                """),
        RuleDocumentation(
            "FL029",
            meaning: """
                The descriptor of the provider rules this outcome out; the handler serves other
                providers only. Shown by `flowrun lint --provider NAME`.
                """,
            reason: """
                Nothing is wrong: flows are written for many providers. It helps to see which handlers
                cannot be tried out here.
                """,
            wrong: """
                # with a provider that issues no refresh tokens
                restore:
                  next: { ok: userinfo, expired: refresh, any.choice: authorize, any: failed }
                """,
            right: """
                # the same flow: leave the handler for other providers
                restore:
                  next: { ok: userinfo, expired: refresh, any.choice: authorize, any: failed }
                """),
        RuleDocumentation(
            "FL030",
            meaning: """
                No path leads from start to the step.
                """,
            reason: """
                A step that is never reached does not do what its author hopes for: mostly an edge leads
                past it.
                """,
            wrong: """
                start: authorize
                steps:
                  authorize: { next: callback }
                  callback: { next: exchange }
                  exchange: { next: store }
                  verify: { do: verify_id_token, next: store }
                  store: { next: done }
                """,
            right: """
                start: authorize
                steps:
                  authorize: { next: callback }
                  callback: { next: exchange }
                  exchange: { next: verify }
                  verify: { do: verify_id_token, next: store }
                  store: { next: done }
                """),
        RuleDocumentation(
            "FL031",
            meaning: """
                No path leads from start to the end.
                """,
            reason: """
                An end that is never reached is either left over or hides an outcome that is routed
                somewhere else.
                """,
            wrong: """
                ends:
                  done: { result: success }
                  denied: { result: failure, exit: 5 }
                """,
            right: """
                defaults:
                  next: { any.denied: denied, any: failed }
                ends:
                  done: { result: success }
                  denied: { result: failure, exit: 5 }
                """),
        RuleDocumentation(
            "FL032",
            meaning: """
                No end can be reached from the step.
                """,
            reason: """
                A run that enters it can only go round until a limit stops it.
                """,
            wrong: """
                ask: { do: authorize, next: again }
                again: { do: set, next: ask }
                """,
            right: """
                ask: { do: authorize, next: { ok: callback, headless: failed } }
                """),
        RuleDocumentation(
            "FL033",
            meaning: """
                No path leads from start to an end with result success.
                """,
            reason: """
                Such a flow can only fail.
                """,
            wrong: """
                ends:
                  done: { result: failure }
                """,
            right: """
                ends:
                  done: { result: success }
                """),
        RuleDocumentation(
            "FL034",
            meaning: """
                A run could go round this loop for ever: no edge of it has max, and no step of it has
                visits. The loop is printed as a path.
                """,
            reason: """
                A loop is driven by answers from outside. Without a bound a server that always says
                "expired" keeps asking a person to sign in, or keeps being asked. limits.visits (25 where
                the flow says nothing) only ends the run then, in an error that no route of the flow sees;
                visits of a step leads to its outcome exhausted.
                """,
            wrong: """
                userinfo:
                  next: { ok: store, unauthorized: refresh }
                refresh:
                  next: { ok: userinfo, absent: authorize }
                """,
            right: """
                userinfo:
                  next:
                    ok: store
                    unauthorized:
                      - { to: refresh, max: 1 }
                      - refused
                refresh:
                  next: { ok: userinfo, absent: authorize }
                """),
        RuleDocumentation(
            "FL035",
            meaning: """
                All attempts with their waits take longer than the deadline of the step or of the flow
                allows.
                """,
            reason: """
                The last attempts would never be made; the numbers promise a patience that is not there.
                """,
            wrong: """
                exchange:
                  timeout: 20s
                  deadline: 30s
                  retry: { outcomes: [network], attempts: 5 }
                """,
            right: """
                exchange:
                  timeout: 5s
                  deadline: 30s
                  retry: { outcomes: [network], attempts: 3 }
                """),
        RuleDocumentation(
            "FL036",
            meaning: """
                The edge's max is 0, or not below the number of times that its step may be entered
                anyway.
                """,
            reason: """
                A budget that never runs out bounds nothing, and one of 0 is an edge that is never
                taken.
                """,
            wrong: """
                unauthorized:
                  - { to: refresh, max: 0 }
                  - refused
                """,
            right: """
                unauthorized:
                  - { to: refresh, max: 1 }
                  - refused
                """),
    ]
}
