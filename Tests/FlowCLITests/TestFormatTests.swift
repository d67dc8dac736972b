import Testing

@testable import FlowCLI

@Suite("Forms of test results")
struct TestFormatTests {
    private static let wrong = ChoiceFlow.text
        .replacing("- name: goes left", with: "- name: 'goes <left> & \"on\" #1'")
        .replacing("expect: {end: left,", with: "expect: {end: right,")

    @Test("TAP 14, with what failed as YAML, and nothing that could be a directive")
    func tap() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": Self.wrong])
        let result = await place.run("test --format tap --coverage")
        #expect(result.status == 12)
        #expect(
            result.output == """
                TAP version 14
                1..2
                not ok 1 - choice: goes <left> & "on" \\#1
                  ---
                  severity: fail
                  file: "flows/choice.flow.yaml"
                  line: 22
                  failures:
                    - "end: expected right, got left"
                  ...
                ok 2 - choice: goes right
                # choice: 1 of 1 outcomes tested

                """)
        try place.write("bare.flow.yaml", ChoiceFlow.other)
        let none = await place.run("test ./bare.flow.yaml --format tap")
        #expect(none.status == 0)
        #expect(none.output == "TAP version 14\n1..0 # SKIP no tests\n")
    }

    @Test("a provider that there is not is a mistake of the file, with its place and the nearest name")
    func unknownProvider() async throws {
        let flow = ChoiceFlow.text.replacing(
            "- name: goes left", with: "- name: goes left\n    provider: sandbx")
        let place = try Workplace(["flows/choice.flow.yaml": flow])
        let result = await place.run("test")
        #expect(result.status == 3)
        #expect(result.error.contains("flows/choice.flow.yaml:23:15: error[FL101]"), "\(result.error)")
        #expect(result.error.contains("unknown provider \"sandbx\"; did you mean \"sandbox\"?"))
        let given = await place.run("test --provider sandbx")
        #expect(given.status == 2)
        #expect(given.error.contains("did you mean \"sandbox\"?"))
    }

    @Test("JUnit's XML, every text escaped")
    func junit() async throws {
        let place = try Workplace(["flows/choice.flow.yaml": Self.wrong])
        let result = await place.run("test --format junit --coverage")
        #expect(result.status == 12)
        #expect(
            result.output == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="flowrun" tests="2" failures="1" errors="0">
                  <testsuite name="choice" tests="2" failures="1" errors="0" skipped="0" file="flows/choice.flow.yaml">
                    <properties>
                      <property name="outcomes" value="1"/>
                      <property name="outcomes.tested" value="1"/>
                    </properties>
                    <testcase name="goes &lt;left&gt; &amp; &quot;on&quot; #1" classname="choice" file="flows/choice.flow.yaml" line="22">
                      <failure message="end: expected right, got left" type="expectation">end: expected right, got left</failure>
                    </testcase>
                    <testcase name="goes right" classname="choice" file="flows/choice.flow.yaml" line="24"/>
                  </testsuite>
                </testsuites>

                """)
    }

    @Test("--coverage lists the outcomes of each step that no test passes through")
    func coverage() async throws {
        let place = try Workplace()
        try place.write("flows/refresh.flow.yaml", Self.refresh)
        let result = await place.run("test --coverage")
        #expect(result.status == 0)
        #expect(
            result.output == """
                small  flows/refresh.flow.yaml
                  ✓ nobody is there
                  2 of 9 outcomes tested; no test passes through
                    restore  ok, expired, unrefreshable, insufficient, corrupt, store_failed
                    clear    store_failed
                1 tests, 1 passed, 0 failed

                """)
    }

    @Test("lint --coverage warns of them, and a warning is no error")
    func lintCoverage() async throws {
        let place = try Workplace(["flows/refresh.flow.yaml": Self.refresh])
        let result = await place.run("lint --coverage --format short")
        #expect(result.status == 0)
        #expect(
            result.output == """
                flows/refresh.flow.yaml:6:3: warning[FL102]: step "restore": no test passes through ok, expired, unrefreshable, insufficient, corrupt, store_failed
                flows/refresh.flow.yaml:7:3: warning[FL102]: step "clear": no test passes through store_failed
                flows/refresh.flow.yaml: 0 error(s), 2 warning(s)

                """)
        #expect(await place.run("lint --format short").output == "")
    }

    private static let refresh = """
        language: flow/1
        flow: small
        start: restore
        defaults: { next: { any: failed } }
        steps:
          restore: { next: { ok: done, any.choice: clear } }
          clear: { next: done }
        ends:
          done: { result: success }
        tests:
          - { name: nobody is there, assume: [restore=absent], expect: { end: done } }

        """
}
