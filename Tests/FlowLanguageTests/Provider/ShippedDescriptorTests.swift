import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("The shipped descriptors")
struct ShippedDescriptorTests {
    @Test(
        "each is free of findings, named after its file, and tells how to register",
        arguments: ["google", "github", "microsoft", "sandbox", "custom-oidc"])
    func clean(_ name: String) throws {
        let reading = ProviderReader.read(try DescriptorFixture.shipped(name))
        let descriptor = reading.descriptor
        #expect(reading.diagnostics == [])
        #expect(descriptor?.id == name)
        #expect(descriptor?.registrationHint?.isEmpty == false)
        #expect(descriptor?.userinfoExample?.isEmpty == false)
        #expect(descriptor?.isSandbox == (name == "sandbox"))
    }

    @Test("Google asks for offline access, each parameter with its line")
    func google() throws {
        let google = try DescriptorFixture.bound("google")
        let facts = google.descriptor.authorization
        #expect(google.scopes == ["openid", "email", "profile"])
        #expect(
            google.dialect(facts.dialect).parameters == [
                RequestParameter("access_type", .text("offline"), .descriptor("google.yaml:22")),
                RequestParameter("prompt", .text("consent"), .descriptor("google.yaml:23")),
            ])
        #expect(google.descriptor.client.authenticationMethod == .clientSecretPost)
        #expect(google.descriptor.discovery == .auto)
        #expect(
            google.expectedIssuers(claims: [:]) == ["https://accounts.google.com", "accounts.google.com"])
        #expect(google.descriptor.refresh.onMissingRefreshToken == .keep)
    }

    @Test("Google's truth values and domain become the profile's")
    func googleProfile() throws {
        let profile = try DescriptorFixture.bound("google").profile(
            claims: ["sub": "1", "email_verified": "true", "hd": "acme.example"], userinfo: ["name": "Ada"],
            token: nil)
        #expect(
            profile == ["sub": "1", "name": "Ada", "email_verified": true, "hosted_domain": "acme.example"])
    }

    @Test("GitHub's endpoints follow its variables")
    func gitHubEndpoints() throws {
        let standard = try DescriptorFixture.bound("github").serverFields()
        #expect(standard.issuer == "https://github.com/login/oauth")
        #expect(standard.authorizationEndpoint == "https://github.com/login/oauth/authorize")
        #expect(standard.tokenEndpoint == "https://github.com/login/oauth/access_token")
        #expect(standard.userinfoEndpoint == "https://api.github.com/user")
        #expect(standard.codeChallengeMethodsSupported == ["S256"])
        let own = try DescriptorFixture.bound(
            "github", ["host": "git.acme.example", "api": "https://git.acme.example/api/v3"])
        #expect(own.serverFields().tokenEndpoint == "https://git.acme.example/login/oauth/access_token")
        #expect(own.serverFields().userinfoEndpoint == "https://git.acme.example/api/v3/user")
    }

    @Test("GitHub is asked for JSON, and its errors with status 200 are errors")
    func gitHubToken() throws {
        let gitHub = try DescriptorFixture.bound("github")
        let token = gitHub.descriptor.token
        #expect(
            gitHub.dialect(token.request).fields == [
                RequestParameter("Accept", .text("application/json"), .descriptor("github.yaml:40"))
            ])
        #expect(
            token.response.errorWhen == [
                .init(path: try #require(ValuePath("error")), test: .exists(true))
            ])
        #expect(token.response.types == ["scope": .comma])
        #expect(!gitHub.descriptor.refresh.isSupported)
    }

    @Test("GitHub's number becomes a text, and a hidden e-mail address is asked for")
    func gitHubProfile() throws {
        let gitHub = try DescriptorFixture.bound("github")
        let userinfo: JSONObject = [
            "id": 583_231, "login": "octocat", "name": nil, "email": nil, "avatar_url": "https://a.example/1",
        ]
        let also = try #require(gitHub.descriptor.userinfo.also.first)
        #expect(
            also.operation.request.endpoint.flatMap { gitHub.text($0) }
                == "https://api.github.com/user/emails")
        let condition = try #require(also.condition)
        #expect(gitHub.holds(condition, DescriptorInputs().with(.userinfo, userinfo)))
        #expect(!gitHub.holds(condition, DescriptorInputs().with(.userinfo, ["email": "a@b.example"])))
        let emails: JSONValue = [
            ["email": "old@b.example", "primary": false], ["email": "cat@b.example", "primary": true],
        ]
        let profile = gitHub.profile(
            claims: nil, userinfo: userinfo, token: nil, additional: ["emails": emails])
        #expect(
            profile == [
                "sub": "583231", "name": "octocat", "preferred_username": "octocat", "email": "cat@b.example",
                "picture": "https://a.example/1",
            ])
    }

    @Test("Microsoft's issuer is the token's tenant for common, and the configured one otherwise")
    func microsoftIssuer() throws {
        let common = try DescriptorFixture.bound("microsoft")
        #expect(common.serverFields().issuer == "https://login.microsoftonline.com/common/v2.0")
        #expect(common.issuerAliases == ["https://login.microsoftonline.com/{tenantid}/v2.0"])
        let claims: JSONObject = ["tid": "9188040d-6c67-4c5b-b112-36a304b66dad"]
        #expect(
            common.expectedIssuers(claims: claims) == [
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
            ])
        let one = try DescriptorFixture.bound("microsoft", ["tenant": "11111111-2222"])
        #expect(
            one.expectedIssuers(claims: claims) == ["https://login.microsoftonline.com/11111111-2222/v2.0"])
    }

    @Test("Microsoft's profile is the ID token's alone")
    func microsoftProfile() throws {
        let profile = try DescriptorFixture.bound("microsoft").profile(
            claims: ["sub": "s", "tid": "t", "oid": "o"], userinfo: ["email": "other@b.example"], token: nil)
        #expect(profile == ["sub": "s", "tenant_id": "t", "object_id": "o"])
    }

    @Test("the sandbox is a public client of this machine whose refresh tokens work once")
    func sandbox() throws {
        let sandbox = try DescriptorFixture.bound("sandbox", ["issuer": "http://127.0.0.1:40123"])
        #expect(sandbox.serverFields().issuer == "http://127.0.0.1:40123")
        #expect(sandbox.descriptor.client.authenticationMethod == ClientAuthenticationMethod.none)
        #expect(sandbox.scopes == ["openid", "profile", "email", "offline_access"])
        #expect(sandbox.descriptor.refresh.rotation == .singleUse)
        #expect(try DescriptorFixture.bound("sandbox").serverFields().issuer == "http://127.0.0.1:9400")
    }

    @Test("a provider of one's own needs its issuer")
    func customIssuer() throws {
        let descriptor = ProviderReader.read(try DescriptorFixture.shipped("custom-oidc")).descriptor
        let custom = try #require(descriptor)
        let error = #expect(throws: BindingError.self) { try custom.bind(variables: [:]) }
        #expect(
            error?.problems == [
                VariableProblem(
                    variable: "issuer", message: "variable \"issuer\" has no value",
                    hint: "the provider's issuer, exactly as it is written in its metadata")
            ])
        let bound = try custom.bind(variables: ["issuer": "https://sso.example/realms/main"])
        #expect(bound.serverFields().issuer == "https://sso.example/realms/main")
    }

    @Test("without rules the profile holds the standard claims, the ID token's first")
    func standardProfile() throws {
        let bound = try DescriptorFixture.bound("custom-oidc", ["issuer": "https://sso.example"])
        let profile = bound.profile(
            claims: ["sub": "1", "email": "a@b.example", "nonce": "n", "name": ""],
            userinfo: ["sub": "2", "email": "x@b.example", "name": "Ada", "groups": ["g"]], token: nil)
        #expect(profile == ["sub": "1", "name": "Ada", "email": "a@b.example"])
    }
}
