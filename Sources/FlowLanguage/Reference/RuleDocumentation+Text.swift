/// Rules of the text itself: YAML and expressions.
extension RuleDocumentation {
    static let text: [RuleDocumentation] = [
        RuleDocumentation(
            "FL001",
            meaning: """
                The text is not YAML, or in a file that is to be JSON not JSON. The place where reading stopped is shown, and what was open there:
                often the mistake is a line or two above. A warning asks about a value that ends before " #" and a digit or a slash:
                YAML takes the rest for a comment.
                """,
            reason: """
                Nothing can be said of a file that cannot be read. Usual causes are a value that holds
                ": " or begins with a character such as @ or %, a bracket that is never closed, and a
                key that does not start in the column of its neighbours.
                """,
            wrong: """
                ends:
                  done: { result: success
                """,
            right: """
                ends:
                  done: { result: success }
                """),
        RuleDocumentation(
            "FL002",
            meaning: """
                A file can be read and is UTF-8 text, one YAML document, at most 256 KiB, 16 levels deep and 10 000
                values and keys. Keys are strings. Tabs do not indent.
                """,
            reason: """
                The limits are far above every real flow and far below what could make a reader slow. A
                tab is as wide as an editor likes, so nobody can see how deep it indents.
                """,
            wrong: """
                start: authorize
                ---
                start: callback
                """,
            right: """
                start: authorize
                """),
        RuleDocumentation(
            "FL003",
            meaning: """
                A template stands without quotes inside { } or [ ], where YAML takes its braces for
                those of a mapping.
                """,
            reason: """
                In brackets YAML reads the { of ${...} as the beginning of a mapping. Quotes make the
                whole template one text. On a line of its own, outside of brackets, a template needs
                none.
                """,
            wrong: """
                with: { scopes: ${inputs.scopes} }
                """,
            right: """
                with: { scopes: "${inputs.scopes}" }
                """),
        RuleDocumentation(
            "FL004",
            meaning: """
                A mapping has the same key twice. The first place is shown.
                """,
            reason: """
                Most YAML readers silently keep one of the two, and not all of them the same one.
                """,
            wrong: """
                callback:
                  timeout: 5m
                  next: exchange
                  timeout: 10m
                """,
            right: """
                callback:
                  timeout: 10m
                  next: exchange
                """),
        RuleDocumentation(
            "FL005",
            meaning: """
                The key is one of the words that YAML 1.1 reads as a boolean: on, off, yes, no, y, n in
                any case.
                """,
            reason: """
                flowrun would read it as text, but editors and scripts that follow YAML 1.1 read the key
                as true or false.
                """,
            wrong: """
                vars:
                  no: int
                """,
            right: """
                vars:
                  number: int
                """),
        RuleDocumentation(
            "FL006",
            meaning: """
                The file uses an anchor (&), an alias (*), a merge key (<<) or a tag (!).
                """,
            reason: """
                A flow says each thing where it holds, so that a reader and a reviewer need not collect
                it from elsewhere. Expanding aliases can also make a small file enormous.
                """,
            wrong: """
                steps:
                  first: &wait { do: callback, timeout: 5m }
                  second: *wait
                """,
            right: """
                defaults:
                  timeout: 5m
                """),
        RuleDocumentation(
            "FL007",
            meaning: """
                A template stands where none is evaluated. The values of if, assert.that and classify.if
                are expressions already; the message of an assertion, the event of emit and the message
                of a simulated answer are texts as they are written.
                """,
            reason: """
                There is one way to write each thing. Inside ${ } a condition would be a text that holds
                "true" or "false". A message that showed ${...} to a person would be of no use; messages
                of ends and the data of emit are templates.
                """,
            wrong: """
                next:
                  - { to: refresh, if: "${inputs.force}" }
                  - done
                """,
            right: """
                next:
                  - { to: refresh, if: inputs.force }
                  - done
                """),
        RuleDocumentation(
            "FL008",
            meaning: """
                The expression cannot be read. Strings stand in single quotes, equality is ==, there are
                no *, / and ?: (write if(c, a, b)), and comparisons are not chained.
                """,
            reason: """
                Expressions are small on purpose: presence, equality, membership, time comparison,
                simple tests of text. Everything larger belongs into the provider's descriptor or into a
                hook with a declared contract.
                """,
            wrong: """
                if: 'inputs.level = "high"'
                """,
            right: """
                if: inputs.level == 'high'
                """),
        RuleDocumentation(
            "FL009",
            meaning: """
                The expression calls a function that does not exist, or gives it the wrong number or
                types of arguments. `flowrun kinds --markdown` lists all functions.
                """,
            reason: """
                Functions are known when the file is read, so that no run can fail on a misspelt one.
                """,
            wrong: """
                if: startswith(inputs.email, 'a')
                """,
            right: """
                if: starts_with(inputs.email, 'a')
                """),
        RuleDocumentation(
            "FL054",
            meaning: """
                An operator, a guard, an assignment or an argument needs another type. Nothing is
                converted silently; int(), bool(), time() and the others answer an optional value.
                """,
            reason: """
                1 and '1' are different things to a server. A comparison across types is always false,
                which nobody wants to find out in a run.
                """,
            wrong: """
                if: steps.restore.expires_at > 60
                """,
            right: """
                if: steps.restore.expires_at > run.now + 60s
                """),
        RuleDocumentation(
            "FL055",
            meaning: """
                A value of an optional type stands where a value is required.
                """,
            reason: """
                It may be missing. Say what holds then: with ?? and another value, or by testing has()
                in the same condition.
                """,
            wrong: """
                if: inputs.age > 18
                """,
            right: """
                if: (inputs.age ?? 0) > 18
                """),
        RuleDocumentation(
            "FL056",
            meaning: """
                An expression has at most 1 024 characters, 64 operators and values, and 12 levels.
                """,
            reason: """
                What is larger cannot be reviewed at a glance. Take it apart with save, or move it into
                a hook.
                """,
            wrong: """
                if: "a == 1 || a == 2 || a == 3 || …"
                """,
            right: """
                if: a in [1, 2, 3]
                """),
        RuleDocumentation(
            "FL057",
            meaning: """
                The second argument of matches is a pattern in single quotes, in the subset of RFC 9485:
                no look-around, no back references.
                """,
            reason: """
                Patterns are compiled when the file is read and matched in linear time. One that comes
                from outside could take for ever, or match anything.
                """,
            wrong: """
                if: matches(inputs.email, inputs.pattern)
                """,
            right: """
                if: matches(inputs.email, '[^@]+@example\\.com')
                """),
        RuleDocumentation(
            "FL109",
            meaning: """
                A text is nothing but the name of a value that is known where it stands, or holds one as
                other programs write their templates: {{ out.team }}, $(out.team), {out.team}, $out.team.
                Only what is between ${ and } is looked up, so the text itself is what is saved or sent.
                """,
            reason: """
                Nobody means the name, and nothing fails: the text goes on its way in place of the value.
                """,
            wrong: """
                save: { vars.team: out.team }
                """,
            right: """
                save: { vars.team: "${out.team}" }
                """),
        RuleDocumentation(
            "FL107",
            meaning: """
                The expression makes an MD5 digest. It is a note: where the provider's documentation asks
                for md5, there is nothing to change.
                """,
            reason: """
                Two texts with the same MD5 are made in seconds, so that it proves nothing about who wrote
                a text. Some interfaces sign their requests with it all the same.
                """,
            wrong: """
                sign: "${hex(md5(vars.text))}"
                """,
            right: """
                sign: "${hex(hmac_sha256(client.secret, vars.text))}"
                """),
    ]
}
