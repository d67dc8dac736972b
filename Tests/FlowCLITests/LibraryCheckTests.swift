import Testing

@testable import FlowCLI

@Suite("The system's libraries that the doctor looks at")
struct LibraryCheckTests {
    @Test("without libcurl nothing can be sent; without libmicrohttpd a person has to bring the answer")
    func missing() {
        let checks = LibraryChecks(transport: { "libcurl cannot be loaded" }, server: { "no libmicrohttpd" })
        #expect(checks.findings.map(\.state) == [.bad, .warning])
        #expect(checks.findings.first?.what == "nothing can be sent: libcurl cannot be loaded")
    }

    @Test("those of this machine can be used")
    func present() {
        #expect(
            LibraryChecks().findings
                == [.ok("library", "libcurl can be used"), .ok("library", "libmicrohttpd can be used")])
    }
}
