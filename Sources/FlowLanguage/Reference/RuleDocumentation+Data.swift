/// Rules of values, variables and token sets.
extension RuleDocumentation {
    static let data: [RuleDocumentation] = [
        RuleDocumentation(
            "FL040",
            meaning: """
                from names the step whose transaction goes on. It may be left out when the flow has
                exactly one step of that kind.
                """,
            reason: """
                The callback of one authorization must not be taken for that of another.
                """,
            wrong: """
                steps:
                  first: { do: authorize, next: { ok: callback, headless: failed } }
                  second: { do: authorize, next: { ok: callback, headless: failed } }
                  callback: { next: exchange }
                """,
            right: """
                steps:
                  first: { do: authorize, next: { ok: callback, headless: failed } }
                  second: { do: authorize, next: { ok: other, headless: failed } }
                  callback: { with: { from: first }, next: exchange }
                  other: { do: callback, with: { from: second }, next: exchange }
                """),
        RuleDocumentation(
            "FL041",
            meaning: """
                A step comes before the one whose work it continues, or twice after it: a callback
                without an open authorization, an exchange of a code that may have been redeemed
                already.
                """,
            reason: """
                A transaction is opened, answered and redeemed once, in that order. A code that is sent
                twice may revoke the tokens that it brought the first time (RFC 6749 §4.1.2).
                """,
            wrong: """
                exchange:
                  next: { ok: verify, invalid_grant: exchange }
                """,
            right: """
                exchange:
                  next:
                    ok: verify
                    invalid_grant:
                      - { to: authorize, max: 1 }
                      - refused
                """),
        RuleDocumentation(
            "FL042",
            meaning: """
                The step needs the tokens of a set that some path to it has not filled, or that only
                steps about another provider fill.
                """,
            reason: """
                On that path there would be nothing to send. What one provider has issued is a secret
                from every other, and no session with it; token_exchange alone takes it elsewhere.
                """,
            wrong: """
                start: userinfo
                steps:
                  userinfo: { next: done }
                """,
            right: """
                start: restore
                steps:
                  restore: { next: { ok: userinfo, any.choice: authorize, any: failed } }
                  userinfo: { next: done }
                """),
        RuleDocumentation(
            "FL043",
            meaning: """
                save writes variables, and vars declares them with their types.
                """,
            reason: """
                An undeclared variable has no type, and a misspelt one would silently be another.
                """,
            wrong: """
                verify:
                  save: { vars.who: "${out.subject}" }
                """,
            right: """
                vars:
                  who: optional string
                steps:
                  verify:
                    save: { vars.who: "${out.subject}" }
                """),
        RuleDocumentation(
            "FL044",
            meaning: """
                An end gives a value to an output that outputs does not declare.
                """,
            reason: """
                The outputs of a flow are its contract with those who call it.
                """,
            wrong: """
                ends:
                  done: { result: success, outputs: { user: "${tokens.main.subject}" } }
                """,
            right: """
                outputs:
                  user: optional string
                ends:
                  done: { result: success, outputs: { user: "${tokens.main.subject}" } }
                """),
        RuleDocumentation(
            "FL045",
            meaning: """
                A success end does not set an output whose type is not optional.
                """,
            reason: """
                Who calls the flow relies on every required output after a success, whichever end it
                came through.
                """,
            wrong: """
                outputs:
                  subject: string
                ends:
                  done: { result: success }
                """,
            right: """
                outputs:
                  subject: string
                ends:
                  done: { result: success, outputs: { subject: "${steps.verify.subject}" } }
                """),
        RuleDocumentation(
            "FL046",
            meaning: """
                An expression names an input, a variable, a step, a token set or a root that does not
                exist.
                """,
            reason: """
                Names are resolved when the file is read, so that no run can fail on a misspelt one.
                """,
            wrong: """
                with: { login_hint: "${input.hint}" }
                """,
            right: """
                with: { login_hint: "${inputs.hint}" }
                """),
        RuleDocumentation(
            "FL047",
            meaning: """
                Some path arrives here without the value. The message names the step and the outcomes
                under which it is missing. Give a value for that case with ??, or test has() first.
                """,
            reason: """
                A value that is sometimes there works in every try-out and fails in the one case that
                matters.
                """,
            wrong: """
                outputs: { email: "${steps.userinfo.claims.email}" }
                """,
            right: """
                outputs: { email: "${steps.userinfo.claims.email ?? null}" }
                """),
        RuleDocumentation(
            "FL048",
            meaning: """
                out is the step that has just ended. It is known on that step's edges, and in its save,
                assert and after-hooks.
                """,
            reason: """
                Anywhere else nobody could say whose out it is; write steps.NAME instead.
                """,
            wrong: """
                ends:
                  done: { result: success, outputs: { subject: "${out.subject}" } }
                """,
            right: """
                ends:
                  done: { result: success, outputs: { subject: "${steps.verify.subject}" } }
                """),
        RuleDocumentation(
            "FL049",
            meaning: """
                Steps of this kind do not leave such a field behind. `flowrun kinds KIND` lists the
                fields of a kind.
                """,
            reason: """
                A field that does not exist would be missing in every run.
                """,
            wrong: """
                save: { vars.who: "${steps.verify.sub}" }
                """,
            right: """
                save: { vars.who: "${steps.verify.subject}" }
                """),
    ]
}
