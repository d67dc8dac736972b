import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Answers as descriptors read them")
struct DescriptorAnswerTests {
    private static func paths(_ texts: String...) -> [ValuePath] { texts.compactMap { ValuePath($0) } }

    @Test("answers are read as the file says, and a refresh like the first request")
    func response() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            token:
              response:
                success_status: 2xx
                unwrap: [data, result]
                map: {access_token: [token, accessToken]}
                types: {expires_at: iso8601}
                defaults: {expires_in: 3600}
                error: {code: ["errors[0].type", code], description: message}
                error_when: [{path: code, not_equals: 0}]

            """)
        #expect(report == [])
        let facts = try #require(descriptor)
        let expected = ResponseDialect(
            successStatus: 200...299,
            errorWhen: [.init(path: try #require(ValuePath("code")), test: .notEquals(0))],
            errorCode: Self.paths("errors[0].type", "code"), errorDescription: Self.paths("message"),
            unwrap: Self.paths("data", "result"), map: ["access_token": Self.paths("token", "accessToken")],
            types: ["expires_at": .iso8601], defaults: ["expires_in": 3600])
        #expect(facts.token.response == expected)
        #expect(facts.refresh.operation.response == expected)
    }

    @Test("paths of conditions, of further tokens and of what is kept may be lists")
    func listsOfPaths() throws {
        let (descriptor, found) = DescriptorFixture.read(
            """
            token:
              response:
                error_when: [{path: [meta.code, code], not_equals: 0}]
                tokens: {user: [authed_user, data.user]}
                keep: [[instance_url, api], team]

            """)
        #expect(found == [])
        let response = try #require(descriptor).token.response
        #expect(response.errorWhen.map { $0.paths.map(\.text) } == [["meta.code", "code"]])
        #expect(response.tokens.mapValues { $0.map(\.text) } == ["user": ["authed_user", "data.user"]])
        #expect(response.keep.map { $0.map(\.text) } == [["instance_url", "api"], ["team"]])
        #expect(
            response.rules.suffix(2) == [
                "tokens user at authed_user or data.user", "keep instance_url or api, team",
            ])
    }

    @Test("values that mean none are read as they are written, one or several")
    func absent() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "token: {response: {absent: {expires_in: [0, -1], expires_at: never}}}\n")
        #expect(report == [])
        #expect(
            try #require(descriptor).token.response.absent == [
                "expires_in": [0, -1], "expires_at": ["never"],
            ])
        #expect(
            DescriptorFixture.read("token: {response: {absent: {a: {b: 1}, c: [null]}}}\n").report == [
                "FL016 4:32: expected a value that means none, found a mapping",
                "FL016 4:44: expected a value that means none, found nothing",
            ])
    }

    @Test("an example may be the whole answer, or what is inside of it")
    func examples() {
        for example in ["{ok: true, data: {user: {sub: a}}, emails: [b]}", "{sub: a, emails: [b]}"] {
            let (descriptor, found) = DescriptorFixture.read(
                """
                userinfo_endpoint: https://p.example/me
                userinfo:
                  response: {unwrap: data.user}
                  example: \(example)
                  also: [{name: emails, endpoint: "https://p.example/emails"}]
                token: {response: {unwrap: [body, data]}, example: {data: {team: t}}}

                """)
            #expect(found == [])
            #expect(descriptor?.userinfoExample == ["sub": "a", "emails": ["b"]])
            #expect(descriptor?.token.example == ["team": "t"])
        }
    }

    @Test("a captured parameter must come in the short form and the long one, unless it is optional")
    func captures() throws {
        let (descriptor, report) = DescriptorFixture.read(
            "callback: {capture: {a: x, b: {from: x}, c: {}, d: {from: x, optional: true}}}\n")
        #expect(report == [])
        let captures = try #require(descriptor).callback.captures
        #expect(captures.map(\.name) == ["a", "b", "c", "d"])
        #expect(captures.map(\.parameter) == ["x", "x", "c", "x"])
        #expect(captures.map(\.isOptional) == [false, false, false, true])
    }

    @Test("an error has the advice of the first entry that matches code or description")
    func advice() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            errors:
              - {match: incorrect_client_credentials, cause: the secret is wrong, fix: make another}
              - {match: 'AADSTS5001[0-9]', cause: the address is not registered}

            """)
        #expect(report == [])
        let known = try #require(descriptor)
        #expect(known.advice(code: "incorrect_client_credentials", description: nil)?.fix == "make another")
        #expect(
            known.advice(code: "invalid_request", description: "AADSTS50011: The redirect URI")?.cause
                == "the address is not registered")
        #expect(known.advice(code: "other", description: nil) == nil)
    }
}
