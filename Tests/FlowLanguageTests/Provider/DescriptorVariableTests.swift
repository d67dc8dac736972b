import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Variables of descriptors")
struct DescriptorVariableTests {
    @Test("what was given is told by name: no default, nothing secret")
    func settings() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              shop: {required: true, suffix: .shops.example}
              area: {default: eu}
              note: {required: false}
              key: {secret: true}
              code: {secret: true}
            token_endpoint: https://${vars.shop}/${vars.note}/token

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        let secrets = ["key": Secret("marker", kind: .other)]
        let bound = try open.bind(
            variables: ["shop": "acme", "area": "eu", "code": "marker"], secrets: secrets)
        #expect(bound.settings == ["shop": "acme.shops.example"])
        let other = try open.bind(
            variables: ["shop": "acme", "area": "us", "note": "x", "code": "marker"], secrets: secrets)
        #expect(other.settings == ["shop": "acme.shops.example", "area": "us", "note": "x"])
        // What somebody keeps as a secret is one, whatever the descriptor says of it.
        let hidden = try open.bind(
            variables: ["shop": "acme", "code": "c"],
            secrets: ["key": Secret("k", kind: .other), "note": Secret("marker", kind: .other)])
        #expect(hidden.settings == ["shop": "acme.shops.example"])
        let server = try #require(hidden.variableServer)
        #expect(!server.contains("marker") && server != other.variableServer)
    }

    @Test("variables are completed by prefix and suffix before their pattern is looked at")
    func variables() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables:
              shop: {required: true, suffix: .shops.example, pattern: '[a-z]+\\.shops\\.example'}
            token: {endpoint: "https://${vars.shop}/token"}

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        for value in ["acme", "acme.shops.example"] {
            let bound = try open.bind(variables: ["shop": value])
            let endpoint = try #require(open.token.request.endpoint)
            #expect(bound.text(endpoint) == "https://acme.shops.example/token")
        }
        #expect(throws: BindingError.self) { try open.bind(variables: ["shop": "evil.example/"]) }
    }

    @Test("an optional variable without a value is none where that is asked, and empty elsewhere")
    func unsetVariables() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {v: {required: false}, w: {required: false}}
            token:
              params:
                a: ${vars.v ?? 'x'}
                b: ${vars.v ?? vars.w ?? 'y'}
                c: ${if(has(vars.v), 'set', 'unset')}
                d: ${vars.v}
                e: p${vars.v}
                f: ${default(vars.v, 'z')}
                g: ${if(vars.v == '', 'empty', 'full')}

            """)
        #expect(report == [])
        let open = try #require(descriptor)
        func texts(_ variables: [String: String]) throws -> [String] {
            let dialect = try open.bind(variables: variables).dialect(open.token.request)
            return dialect.parameters.map { "\($0.name)=\($0.value.plain)" }
        }
        #expect(try texts([:]) == ["a=x", "b=y", "c=unset", "e=p", "f=z", "g=empty"])
        #expect(
            try texts(["v": "1", "w": "2"]) == ["a=1", "b=1", "c=set", "d=1", "e=p1", "f=1", "g=full"])
        #expect(try texts(["w": "2"]) == ["a=x", "b=2", "c=unset", "e=p", "f=z", "g=empty"])
    }
}

extension ParameterValue {
    fileprivate var plain: String {
        if case .text(let text) = self { text } else { "no text" }
    }
}
