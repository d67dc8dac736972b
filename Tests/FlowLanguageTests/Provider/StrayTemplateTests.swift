import Testing

@testable import FlowLanguage

@Suite("Templates where none is read")
struct StrayTemplateTests {
    @Test(
        "a template where none is read is reported with its place, and not sent as it is written",
        arguments: [
            ("authorization: {allow_params: ['a:${vars.v}']}", "4:32"),
            ("authorization: {scope_delimiter: '${vars.v}'}", "4:34"),
            ("authorization: {fragment: '${vars.v}'}", "4:27"),
            ("authorization: {response_type: '${vars.v}'}", "4:32"),
            ("authorization: {claims: {userinfo: {email: {value: '${vars.v}'}}}}", "4:52"),
            ("token: {endpoint: 'https://p.example', allowed_hosts: ['${vars.v}']}", "4:56"),
            ("token: {rename: {code: '${vars.v}'}}", "4:24"),
            ("token: {rename: {'${vars.v}': x}}", "4:18"),
            ("token: {omit: ['${vars.v}']}", "4:16"), ("token: {raw: ['${vars.v}']}", "4:15"),
            ("token: {params: {'${vars.v}': x}}", "4:18"),
            ("token: {response: {unwrap: '${vars.v}'}}", "4:28"),
            ("token: {response: {defaults: {scope: '${vars.v}'}}}", "4:38"),
            ("token: {response: {error_when: [{path: a, equals: '${vars.v}'}]}}", "4:51"),
            ("userinfo: {token_scheme: '${vars.v}'}", "4:26"),
            ("display_name: '$${vars.v}'", "4:15"),
            ("variables: {v: {default: '${vars.v}'}}", "4:26"),
        ])
    func strayTemplates(_ lines: String, _ place: String) {
        let variables = lines.hasPrefix("variables") ? "" : "variables: {v: {default: x}}\n"
        let (descriptor, found) = DescriptorFixture.read("\(lines)\n\(variables)")
        #expect(found == ["FL016 \(place): no ${...} may stand here: this text is used as it is written"])
        #expect(descriptor == nil)
    }

    @Test("where another thing is wrong with a template, or none is meant, nothing is added to that")
    func noStrayTemplates() {
        let (_, wrong) = DescriptorFixture.read("jwks_uri: http://${vars.v}.example\n")
        #expect(wrong == ["FL067 4:11: \"http://${vars.v}.example\" is not https"])
        let (_, fine) = DescriptorFixture.read(
            """
            variables: {v: {default: a, pattern: '[^${]*'}}
            x-note: ${vars.v}
            errors: [{match: 'a[${]b', cause: c}]
            environments: {test: {issuer: 'https://${vars.v}.example'}}
            token: {params: {a: "${vars.v}", x-b: "${vars.v}"}}
            """)
        #expect(fine == [])
    }
}
