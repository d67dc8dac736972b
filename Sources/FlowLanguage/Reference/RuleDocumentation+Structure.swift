/// Rules of keys, names and arguments.
extension RuleDocumentation {
    static let structure: [RuleDocumentation] = [
        RuleDocumentation(
            "FL010",
            meaning: """
                The mapping has a key that the language does not know there. Keys that begin with x-
                belong to other tools and are left alone, except below next, save and with.
                """,
            reason: """
                A misspelt key would otherwise do nothing, and nobody would notice: a forgotten timeout,
                an unbounded loop.
                """,
            wrong: """
                callback:
                  time_out: 5m
                  next: exchange
                """,
            right: """
                callback:
                  timeout: 5m
                  next: exchange
                """),
        RuleDocumentation(
            "FL011",
            meaning: """
                A required key is missing. A flow needs language, flow, start, steps and ends; an end
                needs result; an input or variable in the long form needs type.
                """,
            reason: """
                The language has few defaults that matter, so that a file can be read without knowing
                them.
                """,
            wrong: """
                ends:
                  done: { message: "Welcome." }
                """,
            right: """
                ends:
                  done: { result: success, message: "Welcome." }
                """),
        RuleDocumentation(
            "FL012",
            meaning: """
                The file asks for a level of the language that this flowrun does not know.
                """,
            reason: """
                A level only adds to the one before. A program that ran a flow of a higher level could
                ignore a construct that matters for safety, so it refuses.
                """,
            wrong: """
                language: flow/2
                """,
            right: """
                language: flow/1
                """),
        RuleDocumentation(
            "FL013",
            meaning: """
                One name is used for a step and for an end.
                """,
            reason: """
                Steps and ends share one name space: next names either of them, so the target would be
                ambiguous.
                """,
            wrong: """
                steps:
                  done: { do: set, next: done }
                ends:
                  done: { result: success }
                """,
            right: """
                steps:
                  finish: { do: set, next: done }
                ends:
                  done: { result: success }
                """),
        RuleDocumentation(
            "FL014",
            meaning: """
                Ids of steps, ends, variables, inputs, outputs and token sets start with a letter a-z
                and go on with up to 62 of a-z, 0-9 and _. The ids of flows and hooks may have - as
                well.
                """,
            reason: """
                Ids occur in expressions, and there - is minus: steps.sign-in.subject would subtract.
                """,
            wrong: """
                steps:
                  sign-in: { do: authorize, next: callback }
                """,
            right: """
                steps:
                  sign_in: { do: authorize, next: callback }
                """),
        RuleDocumentation(
            "FL015",
            meaning: """
                The step has no do and its id is no kind, or do names a kind that does not exist.
                `flowrun kinds` lists them.
                """,
            reason: """
                A step whose id is a kind needs no do; every other step says what it does.
                """,
            wrong: """
                steps:
                  check: { next: done }
                """,
            right: """
                steps:
                  check: { do: verify_id_token, next: done }
                """),
        RuleDocumentation(
            "FL016",
            meaning: """
                A value has the wrong form for its key, or with has an argument that the kind of the
                step does not know or lacks one that it needs. `flowrun kinds KIND` lists the arguments
                of a kind.
                """,
            reason: """
                Arguments are checked when the file is read, so that a run never sends a request with a
                forgotten parameter.
                """,
            wrong: """
                authorize:
                  with: { scope: openid }
                """,
            right: """
                authorize:
                  with: { scopes: [openid] }
                """),
        RuleDocumentation(
            "FL017",
            meaning: """
                A step names a provider that the flow does not declare under providers, or names none
                where none has the name main. Without a declaration there is one with that name.
                """,
            reason: """
                Every provider of a flow is bound to a descriptor before the run begins; an undeclared
                one could not be.
                """,
            wrong: """
                steps:
                  userinfo: { provider: acme, next: done }
                """,
            right: """
                providers:
                  main: {}
                  acme: { default: acme }
                steps:
                  userinfo: { provider: acme, next: done }
                """),
        RuleDocumentation(
            "FL018",
            meaning: """
                After any. comes one of the classes of outcomes: success, choice, denied, grant, config,
                transient, security, data, limit, internal.
                """,
            reason: """
                A handler for a class that does not exist would never be used.
                """,
            wrong: """
                defaults:
                  next: { any.secure: blocked }
                """,
            right: """
                defaults:
                  next: { any.security: blocked }
                """),
        RuleDocumentation(
            "FL019",
            meaning: """
                The step cannot end with this outcome. The message lists the ones that its kind has;
                skipped, assertion_failed and exhausted exist where the step has if, assert or visits.
                """,
            reason: """
                A handler for an impossible outcome is a handler that is missing for the one that was
                meant.
                """,
            wrong: """
                callback:
                  next: { ok: exchange, denied: refused }
                """,
            right: """
                callback:
                  next: { ok: exchange, access_denied: refused }
                """),
    ]
}
