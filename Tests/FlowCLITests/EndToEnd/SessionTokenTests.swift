import FlowEngine
import FlowLanguage
import FlowSandbox
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLive

@Suite("the token of a session")
struct SessionTokenTests {
    private let place = SessionPlace()

    @Test("of many tasks that need a token one refreshes, and all have the same")
    func oneRefresh() async throws {
        let provider = try RecordingProvider(["access:expires=30"])
        let session = try place.session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let tokens = await withTaskGroup(of: Secret?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await session.validAccessToken(minimumLifetime: .seconds(60)).accessToken
                }
            }
            return await group.reduce(into: Set<Secret?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(tokens.first != .some(nil))
        #expect(provider.grants("refresh_token").count == 1)
        provider.stop()
    }

    @Test("a token that lasts long enough is given without asking anybody")
    func fresh() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let before = provider.hits.count
        let tokens = try await session.validAccessToken()
        #expect(tokens.tokenType == "Bearer")
        #expect(tokens.subject == "sandbox-user-1")
        #expect(provider.hits.count == before)
        let longer = try await session.validAccessToken(minimumLifetime: .seconds(86_400))
        #expect(longer.accessToken != tokens.accessToken)
        for lifetime in [Duration.seconds(Int64.max), .seconds(Int64.min), .milliseconds(-1)] {
            let tokens = try await session.validAccessToken(minimumLifetime: lifetime)
            #expect(tokens.subject == "sandbox-user-1")
        }
        provider.stop()
    }

    @Test("a token for less is asked for once, beside the one for everything, and by many tasks at a time")
    func narrower() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(provider, ProgramBrowser(.loopback))
        try await session.signIn()
        let whole = try await session.validAccessToken()
        let tokens = await withTaskGroup(of: Secret?.self) { group in
            for index in 0..<20 {
                let scopes = index % 2 == 0 ? ["openid", "email"] : ["email", "openid"]
                group.addTask { try? await session.validAccessToken(scopes: scopes).accessToken }
            }
            return await group.reduce(into: Set<Secret?>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(nil) && !tokens.contains(whole.accessToken))
        #expect(provider.grants("refresh_token").count == 1)
        let elsewhere = try await session.validAccessToken(resources: ["https://api.example/"])
        #expect(elsewhere.scopes == whole.scopes)
        #expect(provider.grants("refresh_token").count == 2)
        #expect(try await session.validAccessToken().accessToken == whole.accessToken)
        #expect(try await tokens.contains(session.validAccessToken(scopes: ["email", "openid"]).accessToken))
        #expect(provider.grants("refresh_token").count == 2)
        provider.stop()
    }

    @Test("a scope that nobody granted needs a person, and the session stays as it is")
    func beyondTheGrant() async throws {
        let provider = try RecordingProvider()
        let session = try place.session(provider, ProgramBrowser(.loopback))
        let signedIn = try await session.signIn()
        let failure = await #expect(throws: SignInFailure.self) {
            try await session.validAccessToken(scopes: ["admin"])
        }
        #expect(failure?.failureClass == .session)
        #expect(failure?.detail?.contains("admin") == true)
        #expect(await session.currentSession() == signedIn)
        #expect(provider.grants("refresh_token").isEmpty)
        provider.stop()
    }

    @Test("where nobody is signed in a person is needed, and none is asked")
    func nobody() async throws {
        let provider = try RecordingProvider()
        let browser = try ProgramBrowser(.loopback)
        let session = try place.session(provider, browser)
        let failure = await place.failure { () async throws(SignInFailure) in
            try await session.validAccessToken()
        }
        #expect(failure?.failureClass == .session)
        #expect(browser.presented == 0)
        #expect(await place.names(session.states, 1) == ["signed out"])
        provider.stop()
    }

    @Test("a refresh token that was revoked makes the session expired")
    func expired() async throws {
        let provider = try RecordingProvider(["access:expires=30", "token:invalid_grant@2"])
        let session = try place.session(provider, ProgramBrowser(.loopback))
        let states = session.states
        #expect(await session.currentSession() == nil)
        try await session.signIn()
        let failure = await place.failure { () async throws(SignInFailure) in
            try await session.validAccessToken()
        }
        #expect(failure?.failureClass == .session)
        #expect(await session.currentSession() == nil)
        #expect(
            await place.names(states, 4) == [
                "signed out", "signing in", "signed in: sandbox-user-1", "expired",
            ])
        provider.stop()
    }
}
