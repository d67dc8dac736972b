/// Rules of embedded tests.
extension RuleDocumentation {
    static let tests: [RuleDocumentation] = [
        RuleDocumentation(
            "FL100",
            meaning: """
                A test assumes an outcome that the step cannot have, or names a step that does not
                exist.
                """,
            reason: """
                A test that assumes the impossible proves nothing.
                """,
            wrong: """
                tests:
                  - name: the person refuses
                    assume: [callback=denied]
                    expect: { end: refused }
                """,
            right: """
                tests:
                  - name: the person refuses
                    assume: [callback=access_denied]
                    expect: { end: refused }
                """),
        RuleDocumentation(
            "FL101",
            meaning: """
                A test expects an end, a step or an output that does not exist, or begins with an input
                that the flow does not take.
                """,
            reason: """
                It could never pass, or, for never, never fail.
                """,
            wrong: """
                tests:
                  - name: signs in
                    expect: { end: sucess, never: [refersh] }
                """,
            right: """
                tests:
                  - name: signs in
                    expect: { end: success, never: [refresh] }
                """),
        RuleDocumentation(
            "FL102",
            meaning: """
                No embedded test passes through this outcome of this step. Shown by `flowrun lint
                --coverage`.
                """,
            reason: """
                The routes that nobody tries out are those of failures, and there a mistake does most
                harm. A dry run needs neither network nor provider, so a test costs three lines.
                """,
            wrong: """
                tests:
                  - name: signs in
                    expect: { end: done }
                """,
            right: """
                tests:
                  - name: signs in
                    expect: { end: done }
                  - name: the person refuses
                    assume: [callback=access_denied]
                    expect: { end: denied, never: [exchange] }
                """),
    ]
}
