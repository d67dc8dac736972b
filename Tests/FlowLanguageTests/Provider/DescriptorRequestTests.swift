import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Requests as descriptors write them")
struct DescriptorRequestTests {
    @Test("requests are written with what the registration and the answers hold")
    func dialect() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              method: GET
              body_format: query
              params: {app: "${client.id}", fixed: 3}
              query: {cb: "${urlencode(client.redirect_uri)}"}
              headers: {X-User: "${string(callback.user) ?? ''}"}
              omit: [redirect_uri]
              rename: {client_id: appid}
            callback: {capture: {user: id}}

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        let dialect = bound.dialect(
            bound.descriptor.token.request,
            DescriptorInputs(clientID: "c1", redirectURI: "http://127.0.0.1/cb").with(.callback, ["user": 7]))
        #expect(
            dialect
                == RequestDialect(
                    method: .get, bodyFormat: .query,
                    parameters: [
                        RequestParameter("app", .text("c1"), .descriptor("p.yaml:7")),
                        RequestParameter("fixed", .text("3"), .descriptor("p.yaml:7")),
                    ],
                    query: [
                        RequestParameter("cb", .text("http%3A%2F%2F127.0.0.1%2Fcb"), .descriptor("p.yaml:8"))
                    ],
                    fields: [RequestParameter("X-User", .text("7"), .descriptor("p.yaml:9"))],
                    omit: ["redirect_uri"], rename: ["client_id": "appid"]))
    }

    @Test("a renewal is written like the first request where it says nothing itself")
    func inheritance() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              body_format: json
              headers: {X-App: a}
              rename: {client_id: appid}
              params: {first: only}
              omit: [redirect_uri]
              response: {unwrap: data}
            refresh:
              headers: {X-App: b}

            """)
        #expect(report == [])
        let facts = try #require(descriptor).refresh.operation
        #expect(facts.request.bodyFormat == .json)
        #expect(facts.request.rename == ["client_id": "appid"])
        #expect(facts.request.headers.map(\.text.content) == [.literal("b")])
        #expect(facts.request.parameters.isEmpty)
        #expect(facts.request.omit.isEmpty)
        #expect(facts.response.unwrap.map(\.text) == ["data"])
    }

    @Test("members of a JSON body keep their types, those of expressions too; a form has texts")
    func typedMembers() throws {
        func body(_ format: String, _ more: String = "") throws -> String {
            let (descriptor, report) = DescriptorFixture.read(
                """
                userinfo:
                  method: POST
                  body_format: \(format)
                  params:
                    five: 5
                    text: "5"
                    flag: true
                    half: 0.5
                    when: "${now}"
                    id: "${token.id}"
                    name: "n-${token.id}"
                    none: "${token.none}"
                    made: "${string(now)}"
                    either: "${token.none ?? token.id}"
                \(more)
                """)
            #expect(report == [])
            let bound = try #require(descriptor).bind(variables: [:])
            var inputs = DescriptorInputs(clientID: "c").with(.token, ["id": 7, "list": [1, "a"]])
            inputs[.now] = .int(12)
            let dialect = bound.dialect(bound.descriptor.userinfo.operation.request, inputs)
            let plan = RequestPlan(method: .post, endpoint: "https://p.example/me", bodyFormat: .form)
            return plan.assembled(with: dialect).bodyText.reveal()
        }
        let scalars =
            #""five":5,"text":"5","flag":true,"half":0.5,"when":12,"id":7,"name":"n-7","made":"12","either":7"#
        #expect(try body("json") == "{\(scalars)}")
        let form = "five=5&text=5&flag=true&half=0.5&when=12&id=7&name=n-7&made=12&either=7"
        #expect(try body("form") == form)
        let structure =
            "    variables: {id: \"${token.id}\", all: [\"${token.list}\", x], none: \"${token.none}\", count: 1}"
        #expect(
            try body("json", structure)
                == "{\(scalars),\"variables\":{\"all\":[[1,\"a\"],\"x\"],\"count\":1,\"id\":7}}")
    }

    @Test("a text that a secret flows into is a secret, hashed or not; others are shown")
    func secrets() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {key: {secret: true, required: true}}
            callback: {capture: {nothing: {optional: true}}}
            token:
              params:
                open: "${client.id}"
                hashed: "${hex(sha256(client.secret))}"
                variable: "${vars.key}"
                missing: "${callback.nothing}"
                number: "${now}"

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(
            variables: [:], secrets: ["key": Secret("marker", kind: .other)])
        var inputs = DescriptorInputs(clientID: "c1").with(.callback, ["a": 1])
        inputs[.clientSecret] = .string("s")
        inputs[.now] = .int(7)
        let parameters = bound.dialect(bound.descriptor.token.request, inputs).parameters
        #expect(parameters.map(\.name) == ["open", "hashed", "variable", "number"])
        #expect(parameters[0].value == .text("c1"))
        #expect(parameters[3].value == .text("7"))
        for parameter in parameters[1...2] {
            guard case .secret = parameter.value else {
                Issue.record("\(parameter.name) would be shown")
                continue
            }
        }
    }

    @Test(
        "a header field whose name begins with x- is one, though keys of the file that begin so are not read")
    func foreignNames() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "x-note: kept\ntoken: {x-why: because, headers: {x-kind: k, X-Other: o}, params: {x-p: 1}}\n")
        #expect(report == [])
        let request = try #require(descriptor).token.request
        #expect(request.headers.map(\.name) == ["x-kind", "X-Other"])
        #expect(request.parameters.map(\.name) == ["x-p"])
    }
}
