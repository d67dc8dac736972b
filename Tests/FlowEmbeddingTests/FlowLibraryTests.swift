import FlowEngine
import FlowFiles
import FlowLanguage
import FlowLive
import FlowTesting
import Foundation
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@Suite("The library of flows and providers")
struct FlowLibraryTests {
    @Test("it has what comes with flowrun, byte by byte")
    func shipped() throws {
        let library = FlowLibrary.shipped
        #expect(library.flows == (try Repository.names(in: "flows", suffix: ".flow.yaml")))
        #expect(library.providers == (try Repository.names(in: "providers", suffix: ".yaml")))
        #expect(try library.flow("login").text == Repository.text(of: "flows/login.flow.yaml"))
        #expect(try library.provider("google").text == Repository.text(of: "providers/google.yaml"))
    }

    @Test(
        "a name that is none is refused with the nearest or with all, and one that leads elsewhere is none",
        arguments: [("logn", "; did you mean \"login\"?"), ("../flows/login", nil), ("sign-in", nil)])
    func unknown(name: String, nearest: String?) throws {
        let library = FlowLibrary.shipped
        let hint = nearest ?? "; there are: \(library.flows.joined(separator: ", "))"
        let failure = try #require(throws: SignInFailure.self) { try library.flow(name) }
        #expect(failure.code == "file_invalid")
        #expect(failure.detail == "no flow is named \"\(name)\" in \(library.directory)/flows\(hint)")
        #expect(failure.text.headline == "there is no such file")
        #expect(failure.recoverySuggestion?.contains("lint") == false)
        // Too many to be told.
        let provider = try #require(throws: SignInFailure.self) { try library.provider("somebody-else") }
        #expect(provider.detail == "no provider is named \"somebody-else\" in \(library.directory)/providers")
    }

    @Test("a library whose folder is not there says so")
    func nowhere() throws {
        let failure = try #require(throws: SignInFailure.self) {
            try FlowLibrary(directory: "/nonexistent").flow("login")
        }
        #expect(failure.detail == "no flow is named \"login\" in /nonexistent/flows, which has none at all")
    }

    @Test("a flow finds the flows that it runs, and a descriptor the one that it extends")
    func others() throws {
        let library = FlowLibrary.shipped
        let inner = try #require(library.sources.flow("login", "/anywhere/a.flow.yaml"))
        #expect(inner.text.contains("flow: login"))
        #expect(library.parent("github")?.text == (try Repository.text(of: "providers/github.yaml")))
        #expect(library.parent("nobody") == nil)
        let imported = library.sources.imported(
            "../providers/github.yaml", "\(library.directory)/flows/a.yaml")
        #expect(imported?.text == library.parent("github")?.text)
    }
}

@Suite("What a program prints")
struct DescriptionTests {
    @Test("JSON is printed as JSON, and a mistake of a file as a line with its place")
    func lines() {
        let object: JSONObject = ["sub": "ada", "roles": ["a", 1]]
        #expect("\(object) \(object["roles"] ?? .null)" == #"{"sub":"ada","roles":["a",1]} ["a",1]"#)
        let failure = #expect(throws: SignInFailure.self) {
            try FlowRunner(
                flow: SourceFile(path: "a.flow.yaml", text: "language: flow/1\nflow: a\n"),
                provider: FlowLibrary.shipped.provider("sandbox"),
                client: ClientRegistration(clientID: "my-app"),
                configuration: LiveConfiguration(storeDirectory: "", stateDirectory: ""))
        }
        #expect(
            failure?.diagnostics.first?.description
                == "a.flow.yaml:1:1: error[FL011]: flow needs the key \"ends\"")
    }
}

@Suite("The sandbox of an embedding program")
struct SandboxTests {
    @Test("a fault that is none is refused with the nearest")
    func fault() {
        let failure = #expect(throws: SignInFailure.self) { try Sandbox(faults: ["tokn:500"]) }
        #expect(failure?.code == "input_invalid")
        #expect(failure?.detail?.hasPrefix("no fault is named 'tokn:500'") == true)
        #expect(failure?.recoverySuggestion?.contains("`Sandbox.faults`") == true)
    }

    @Test("a port that is taken is a mistake of the setup")
    func port() throws {
        let sandbox = try Sandbox()
        let port = try #require(sandbox.issuer.split(separator: ":").last.flatMap { UInt16($0) })
        let failure = #expect(throws: SignInFailure.self) { try Sandbox(port: port) }
        #expect(failure?.code == "setup_failed")
        #expect(failure?.failureClass == .configuration)
        sandbox.stop()
    }

    @Test("what goes wrong on purpose is told with its class")
    func misbehaves() async throws {
        let sandbox = try Sandbox(faults: ["userinfo:sub=other"])
        let folder = FileManager.default.temporaryDirectory.path + "/flowsandbox-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = LiveConfiguration(storeDirectory: "", stateDirectory: folder)
        configuration.savesSessions = false
        configuration.presenter = sandbox.browser
        let library = FlowLibrary.shipped
        let result = try await FlowRunner(
            flow: library.flow("login"), provider: library.provider("sandbox"),
            client: ClientRegistration(clientID: Sandbox.clientID), variables: ["issuer": sandbox.issuer],
            configuration: configuration
        ).run()
        #expect(result.failure?.code == "subject_mismatch")
        #expect(result.failure?.failureClass == .security)
        sandbox.stop()
    }
}
