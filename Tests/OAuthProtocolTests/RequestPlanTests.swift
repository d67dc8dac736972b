import OAuthProtocol
import Testing

@Suite("Request plans: assembly and encoding")
struct RequestPlanTests {
    private func parameter(_ name: String, _ value: String) -> RequestParameter {
        RequestParameter(name, .text(value), .descriptor("p.yaml:1"))
    }

    private func plan(
        method: HTTPMethod = .post, endpoint: String = "https://op.example/token",
        format: BodyFormat = .form
    ) -> RequestPlan {
        RequestPlan(
            method: method, endpoint: endpoint,
            body: [parameter("grant_type", "g"), parameter("code", "c"), parameter("client_id", "i")],
            bodyFormat: format)
    }

    @Test("the order is parameters, omit, rename with the renamed last, query, fields")
    func order() throws {
        let dialect = RequestDialect(
            parameters: [parameter("action", "x"), parameter("drop", "y"), parameter("grant_type", "other")],
            query: [parameter("q", "1")], fields: [parameter("X-A", "h")], omit: ["drop"],
            rename: ["code": "auth_code", "client_id": "appid"])
        let request = try plan().assembled(with: dialect).encoded()
        #expect(request.url == "https://op.example/token?q=1")
        #expect(request.text == "grant_type=other&action=x&auth_code=c&appid=i")
        #expect(request.field("X-A") == "h")
    }

    @Test("a protected parameter cannot be set, but another may be renamed into it")
    func protected() throws {
        let dialect = RequestDialect(
            parameters: [
                parameter("client_id", "evil"), parameter("code_verifier", "evil"), parameter("secret", "s"),
            ],
            rename: ["secret": "client_assertion"])
        let request = try plan().assembled(with: dialect).encoded()
        #expect(request.text == "grant_type=g&code=c&client_id=i&client_assertion=s")
    }

    @Test("a name is never sent twice, also after a rename [rule 36]")
    func noDuplicates() throws {
        let dialect = RequestDialect(parameters: [parameter("a", "1")], rename: ["code": "a"])
        #expect(try plan().assembled(with: dialect).encoded().text == "grant_type=g&client_id=i&a=c")
    }

    @Test("a header of the descriptor replaces the standard one, whatever its case")
    func header() throws {
        var plan = plan()
        plan.fields = [parameter("Accept", "application/json")]
        let request = try plan.assembled(with: RequestDialect(fields: [parameter("accept", "a/b")])).encoded()
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "accept: a/b", "Content-Type: application/x-www-form-urlencoded",
            ])
    }

    @Test("a JSON body is an object of texts")
    func json() throws {
        let request = try plan().assembled(with: RequestDialect(bodyFormat: .json)).encoded()
        #expect(request.text == #"{"grant_type":"g","code":"c","client_id":"i"}"#)
        #expect(request.field("Content-Type") == "application/json")
    }

    @Test("raw parameters of a form come last, their reserved characters as they are")
    func rawForm() throws {
        var plan = plan()
        plan.body.append(parameter("scope", "a:b+c d&e"))
        let request = try plan.assembled(with: RequestDialect(raw: ["scope", "code"])).encoded()
        #expect(request.text == "grant_type=g&client_id=i&code=c&scope=a:b+c%20d%26e")
    }

    @Test("what the endpoint's own query has already is known, of the body too where it goes there")
    func repeatedParameter() {
        var plan = plan()
        plan.endpoint += "?code=1&v=1"
        plan.query = [parameter("w", "2")]
        #expect(plan.repeatedParameter == nil)
        plan.query.append(parameter("v", "2"))
        #expect(plan.repeatedParameter == "v")
        plan.query.removeAll()
        #expect(plan.assembled(with: RequestDialect(bodyFormat: .query)).repeatedParameter == "code")
    }

    @Test("with GET or the query format the body goes into the query, before the descriptor's query")
    func bodyAsQuery() throws {
        for dialect in [
            RequestDialect(method: .get, query: [parameter("z", "1")]),
            RequestDialect(method: .get, bodyFormat: .query, query: [parameter("z", "1")]),
        ] {
            let request = try plan().assembled(with: dialect).encoded()
            #expect(request.method == .get)
            #expect(request.url == "https://op.example/token?grant_type=g&code=c&client_id=i&z=1")
            #expect(request.body == nil)
        }
        let post = try plan().assembled(with: RequestDialect(bodyFormat: .query)).encoded()
        #expect(post.url == "https://op.example/token?grant_type=g&code=c&client_id=i")
        #expect(post.body == [])
    }

    @Test("a query that the endpoint has is kept in front (RFC 6749 §3.1) [rule 36]")
    func existingQuery() {
        var plan = RequestPlan(method: .get, endpoint: "https://op.example/a?tenant=1")
        #expect(plan.url == "https://op.example/a?tenant=1")
        plan.query = [parameter("b", "x y")]
        #expect(plan.url == "https://op.example/a?tenant=1&b=x%20y")
        plan.endpoint = "https://op.example/a?"
        #expect(plan.url == "https://op.example/a?b=x%20y")
        plan.endpoint = "https://op.example/a?c=1&"
        #expect(plan.url == "https://op.example/a?c=1&b=x%20y")
    }

    @Test("raw parameters are appended last and keep what ends no value")
    func raw() {
        let plan = RequestPlan(
            method: .get, endpoint: "https://op.example/a",
            query: [parameter("scope", "public+read:a,b/c d&e=#%"), parameter("state", "s+t")])
        #expect(
            plan.assembled(with: RequestDialect(raw: ["scope"])).url
                == "https://op.example/a?state=s%2Bt&scope=public+read:a,b/c%20d%26e%3D%23%25")
    }

    @Test("credentials become bytes only in the encoded request")
    func credentials() throws {
        var plan = plan()
        plan.fields = [
            RequestParameter(
                "Authorization", .basic(user: "u", password: Secret("p:q", kind: .clientSecret)),
                .registration)
        ]
        #expect(try plan.encoded().field("Authorization") == "Basic dTpwOnE=")
        plan.fields = [
            RequestParameter(
                "Authorization", .scheme("Bearer", Secret("t", kind: .accessToken)), .registration)
        ]
        #expect(try plan.encoded().field("Authorization") == "Bearer t")
    }

    @Test(
        "fields of the transport, and names that are none, are refused before anything is sent",
        arguments: [
            ("Host", "header field Host belongs to the transport"),
            ("content-length", "header field content-length belongs to the transport"),
            ("Transfer-Encoding", "header field Transfer-Encoding belongs to the transport"),
            ("X A", "a header field has a name that is not a token"),
            ("", "a header field has a name that is not a token"),
        ])
    func refusedFields(name: String, detail: String) {
        var plan = plan()
        plan.fields = [parameter(name, "op.example")]
        #expect(throws: ProtocolError.malformed("request", detail: detail)) { try plan.encoded() }
    }

    @Test("a content type of the descriptor is the only one, and a tab may stand in a field")
    func ownContentType() throws {
        var plan = plan()
        plan.fields = [parameter("content-type", "a/b;\tq=1")]
        #expect(try plan.encoded().fields == [HTTPField("content-type", "a/b;\tq=1")])
    }

    @Test("GET and HEAD have no body, whatever form it would have had", arguments: [HTTPMethod.get, .head])
    func noBody(method: HTTPMethod) throws {
        for format in [BodyFormat.form, .json] {
            let request = try plan(method: method, format: format).encoded()
            #expect(request.body == nil)
            #expect(request.field("Content-Type") == nil)
            #expect(request.url.hasSuffix("?grant_type=g&code=c&client_id=i"))
        }
        #expect(try plan(method: method, format: .none).encoded().url == "https://op.example/token")
    }

    @Test("a line break in a header value is refused", arguments: ["a\r\nX: y", "a\n", "a\u{0}", "ä"])
    func headerInjection(value: String) {
        var plan = plan()
        plan.fields = [parameter("X-A", value)]
        #expect(
            throws: ProtocolError.malformed(
                "request",
                detail:
                    "header field X-A, of p.yaml:1, holds a character that it may not hold, such as a line break; "
                    + "nothing was sent")
        ) {
            try plan.encoded()
        }
    }

    @Test("a header name that is no token is refused", arguments: ["", "X A", "X:A", "X\r\n"])
    func headerName(name: String) {
        var plan = plan()
        plan.fields = [parameter(name, "v")]
        #expect(
            throws: ProtocolError.malformed(
                "request", detail: "a header field has a name that is not a token")
        ) {
            try plan.encoded()
        }
    }

    @Test(
        "an endpoint with a fragment or a line break is refused",
        arguments: ["https://a#b", "https://a\r\nb"])
    func endpoint(url: String) {
        #expect(
            throws: ProtocolError.malformed(
                "request", detail: "the endpoint holds a character that a URL may not hold")
        ) {
            try plan(endpoint: url).encoded()
        }
    }
}
