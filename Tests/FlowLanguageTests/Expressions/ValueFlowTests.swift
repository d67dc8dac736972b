import Testing

@testable import FlowLanguage

@Suite("What flows into the value of an expression")
struct ValueFlowTests {
    /// `name`, with `hidden` when the result shows nothing of it and `idle` when it does not decide the result.
    private static func flows(_ outcome: Outcome) -> [String] {
        (outcome.compiled?.flows ?? []).map { flow in
            TestScope.names[flow.slot].path + flow.members.joined() + (flow.isShown ? "" : " hidden")
                + (flow.isDeciding ? "" : " idle")
        }
    }

    @Test(
        "values join, declassifiers hide, sanitisers and choices take the say away",
        arguments: [
            ("lower(name)", ["name"]), ("body.user.name ?? name", ["body.user.name", "name"]),
            ("[name, maybe ?? '']", ["name", "maybe"]), ("1 + 2", []), ("has(token)", ["token hidden"]),
            ("has(body.user) && on", ["body.user hidden", "on"]), ("length(token)", ["token hidden"]),
            ("length(lower(name))", ["name hidden"]), ("hex(sha256(token))", ["token hidden"]),
            ("fingerprint(token)", ["token hidden"]), ("mask_email(name)", ["name hidden"]),
            ("token == other", ["token hidden", "other hidden"]),
            ("name == token", ["name hidden", "token hidden"]), ("name == home", ["name", "home"]),
            ("if(on, name, maybe)", ["on idle", "name", "maybe"]),
            ("allowed_url(home, scopes)", ["home idle", "scopes"]),
            (
                "allowed_url(if(on, home, name), ['https://a.example/*'])",
                ["on idle", "home idle", "name idle"]
            ),
            ("with_query(home, extra)", ["home", "extra idle"]),
        ])
    func flows(_ text: String, _ expected: [String]) throws {
        let outcome = try ExpressionFixture.value(text)
        #expect(outcome.description == "")
        #expect(Self.flows(outcome) == expected)
    }

    @Test(
        "in a URL only what stands up to its host decides where it leads",
        arguments: [
            ("https://a.example/${name}", ["name idle"]),
            ("https://a.example/x?y=${name}#${home}", ["name idle", "home idle"]),
            ("https://a.example?x=${name}", ["name idle"]), ("https://a.example${name}", ["name"]),
            ("https://a.example:${name}/", ["name"]),
            ("https://${name}/users/${home}", ["name", "home idle"]),
            ("https://${name}@a.example/", ["name"]), ("${home}/users/${name}", ["home", "name idle"]),
            ("${home}?x=${name}", ["home", "name idle"]), ("${home}${name}", ["home", "name"]),
            ("https://${name}#${home}", ["name", "home idle"]),
            ("${home}//${name}/x", ["home", "name"]), ("${name}://${home}/", ["name", "home"]),
            ("/${name}", ["name"]),
        ])
    func hosts(_ template: String, _ expected: [String]) throws {
        let sink = Sink("\"url\"", purpose: .destination(.trusted))
        let outcome = try ExpressionFixture.template("'\(template)'", as: .optional(.url), sink: sink)
        #expect(outcome.description == "")
        #expect(outcome.compiled?.type == .optional(.url))
        #expect(Self.flows(outcome) == expected)
    }

    @Test("elsewhere everything in a text has a say in it")
    func texts() throws {
        #expect(Self.flows(try ExpressionFixture.template("'https://a.example/${name}'")) == ["name"])
    }

    @Test("a secret that was refused is not reported again for its label")
    func refused() throws {
        let outcome = try ExpressionFixture.template("'x ${token}'", as: .string)
        #expect(outcome.description == "FL062 6: secret \"token\" flows into text")
        #expect(Self.flows(outcome) == ["token hidden"])
    }
}
