import FlowLanguage
import Testing
import YAMLText

@Suite("Sizes, times and levels of flows")
struct FlowBoundsTests {
    @Test(
        "a status is assumed of nothing that sends no request",
        arguments: [
            ("assume: [callback=401], expect: { end: failed }", ["FL100"]),
            ("assume: [exchange=400:invalid_grant], expect: { end: failed }", []),
            ("assume: [network=down], expect: { end: failed }", []),
            ("expect: { requests: { exchange.headr.x: absent } }", ["FL101"]),
            ("expect: { requests: { exchange.header.x: absent, exchange.url: present } }", []),
            ("expect: { requests: { exchange.method.x: absent } }", ["FL101"]),
        ])
    func embeddedTest(keys: String, codes: [String]) {
        #expect(FlowText.codes(FlowText.login + "\ntests: [ { name: t, \(keys) } ]") == codes)
    }

    @Test(
        "a size is a number of bytes, KiB or MiB, and no more than memory should hold",
        arguments: [
            ("4096", 4096), ("64 KiB", 65_536), ("1 MiB", 1_048_576), ("64 MiB", 67_108_864), ("1", 1),
            ("65 MiB", nil), ("67108865", nil), ("9223372036854775807 MiB", nil), ("0", nil), ("-1", nil),
            ("1 GiB", nil), ("1 KiB each", nil), ("KiB", nil), ("\"\"", nil), ("1KiB", nil),
        ] as [(String, Int?)])
    func sizes(text: String, bytes: Int?) {
        let compilation = FlowText.compile(
            FlowText.login.replacing("defaults:", with: "limits: { response_bytes: \(text) }\ndefaults:"))
        #expect(compilation.program?.limits.responseBytes == bytes)
        #expect(compilation.diagnostics.map(\.code) == (bytes == nil ? ["FL016"] : []))
    }

    @Test(
        "the level of the language is written as a number, or as two with a dot",
        arguments: [
            ("flow/1", nil), ("flow/1.0", nil),
            ("flow/1.1", "the file is written for flow/1.1, this flowrun reads flow/1"),
            ("flow/2", "the file is written for flow/2, this flowrun reads flow/1"),
        ]
            + ["1", "1.0", "flw/1", "flow/1.0.0", "flow/1.x", "flow/x", "flow/", "flow/1.", "flow/.1"].map {
                ($0, "unsupported language level \"\($0)\"; this flowrun reads flow/1")
            }
            + ["flow/+1", "flow/01", "flow/-1"].map {
                ($0, "unsupported language level \"\($0)\"; this flowrun reads flow/1")
            } as [(String, String?)])
    func level(text: String, message: String?) {
        let found = FlowText.compile(FlowText.login.replacing("flow/1", with: text)).diagnostics
        #expect(found.map(\.message) == (message.map { [$0] } ?? []))
        #expect(found.allSatisfy { ($0.hint != nil) == (text == "flow/1.1") })
    }

    @Test(
        "a wait is for one thing",
        arguments: [("{}", ["FL016"]), ("{ for: 1s, event: e }", ["FL016"]), ("{ for: 1s }", [])])
    func wait(with arguments: String, codes: [String]) {
        let steps = "  pause: { do: wait, with: \(arguments), next: { ok: done, timeout: failed } }"
        #expect(FlowText.codes(FlowText.flow(steps, start: "pause")) == codes)
    }

    @Test("a limit of no time at all is refused, a length of no time is none")
    func noTime() {
        let limit = { (text: String) in
            FlowText.codes(FlowText.login.replacing("defaults:", with: "\(text)\ndefaults:"))
        }
        let step = { (keys: String) in
            FlowText.codes(
                FlowText.login.replacing(
                    "exchange: { next: verify }", with: "exchange: { \(keys), next: verify }"))
        }
        #expect(limit("limits: { deadline: 0s, hook_time: 0ms }") == ["FL016", "FL016"])
        #expect(step("timeout: 0s") == ["FL016"])
        #expect(step("deadline: 0s") == ["FL016"])
        let retry =
            "retry: { outcomes: [network], attempts: 2, backoff: { initial: 0s }, retry_after: { max: 0s } }"
        #expect(step(retry) == [])
    }

    @Test(
        "a timeout where nothing waits for an answer is refused",
        arguments: [
            ("{ do: wait, with: { for: 1s }, timeout: 2s, next: { ok: done, timeout: failed } }", ["FL016"]),
            ("{ do: wait, with: { event: e }, timeout: 2s, next: { ok: done, timeout: failed } }", []),
            ("{ do: choose, timeout: 2s, next: done }", ["FL016"]),
            ("{ do: set, timeout: 2s, next: done }", ["FL016"]),
        ])
    func noTimeout(step: String, codes: [String]) {
        #expect(FlowText.codes(FlowText.flow("  pause: \(step)", start: "pause")) == codes)
    }

    @Test(
        "a time that no clock reaches is no time",
        arguments: [("36525d", []), ("36526d", ["FL016"]), ("9223372036854775807ms", ["FL016"])])
    func longest(timeout: String, codes: [String]) {
        let text = FlowText.login.replacing(
            "exchange: { next: verify }", with: "exchange: { timeout: \(timeout), next: verify }")
        #expect(FlowText.codes(text) == codes)
    }
}
