import FlowEngine
import FlowLanguage
import FlowTesting
import JOSE
import OAuthProtocol
import Testing

/// Sign-ins on another device, at providers that have words of their own for them.
@Suite("Devices of the catalogue")
struct DeviceProviderTests {
    /// How a provider answers a device.
    struct Device: Sendable, CustomTestStringConvertible {
        let provider: String
        var environment: String?
        /// As its metadata name it.
        var issuer = "https://issuer.example"
        /// Changes to the answer that brings the code; null leaves a member out.
        var code: JSONObject = [:]
        let pending: JSONObject
        var pendingStatus = 400
        let slowDown: JSONObject
        /// `nil` where it is not known.
        var expired: JSONObject?
        /// The body of every question.
        let question: [String: String]

        var testDescription: String { provider }
    }

    private static let flow = FlowTexts.flow(
        """
          begin: { do: device_authorize, next: poll }
          poll: { do: device_poll, next: verify }
          verify: { do: verify_id_token, next: { ok: failed, absent: done } }
        """, start: "begin")

    private static func epic(_ word: String) -> JSONObject {
        ["errorCode": .string("errors.com.epicgames.\(word)"), "numericErrorCode": 1012]
    }

    private static func meta(_ subcode: Int64) -> JSONObject {
        ["error": ["message": "no", "code": 31, "error_subcode": .int(subcode)]]
    }

    static let devices = [
        Device(
            provider: "epic-games", environment: "device",
            issuer: "https://api.epicgames.dev/epic/oauth/v1",
            pending: epic("account.oauth.authorization_pending"), slowDown: epic("account.oauth.slow_down"),
            expired: epic("account.oauth.authorization_expired"),
            question: ["grant_type": "device_code", "device_code": "DC-1"]),
        Device(
            provider: "facebook", environment: "device", code: ["device_code": .null, "code": "DC-1"],
            pending: meta(1_349_174), slowDown: meta(1_349_172), expired: meta(1_349_152),
            question: ["access_token": "CLIENT-ID-1|4f0c0a06512f7ef2140000004f0c0a06", "code": "DC-1"]),
        Device(
            provider: "twitch", environment: "device", issuer: "https://id.twitch.tv/oauth2",
            pending: ["status": 400, "message": "authorization_pending"],
            slowDown: ["status": 400, "message": "slow_down"],
            question: [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "DC-1",
                "client_id": "CLIENT-ID-1", "client_secret": "CLIENT-SECRET-1", "scopes": "user:read:email",
            ]),
        Device(
            provider: "yandex",
            code: ["verification_uri": .null, "verification_url": "https://ya.ru/device"],
            pending: ["error": "authorization_pending"], slowDown: ["error": "slow_down"],
            expired: ["error": "expired_token"],
            question: ["grant_type": "device_code", "code": "DC-1"]),
        Device(
            provider: "workos-authkit", pending: ["error": "authorization_pending"],
            slowDown: ["error": "slow_down"], expired: ["error": "expired_token"],
            question: [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "DC-1",
                "client_id": "CLIENT-ID-1",
            ]),
        Device(
            provider: "discord", pending: ["error": "authorization_pending"],
            slowDown: ["error": "slow_down"], expired: ["error": "expired_token"],
            question: [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "DC-1",
                "client_id": "CLIENT-ID-1", "client_secret": "CLIENT-SECRET-1",
            ]),
        Device(
            provider: "webex", environment: "device", issuer: "https://idbroker-eu.webex.com/idb",
            pending: [:], pendingStatus: 428, slowDown: ["error": "slow_down"],
            question: [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "DC-1",
                "client_id": "CLIENT-ID-1",
            ]),
        Device(
            provider: "amazon", environment: "device", pending: ["error": "authorization_pending"],
            slowDown: ["error": "slow_down"], expired: ["error": "expired_token"],
            question: ["grant_type": "device_code", "device_code": "DC-1", "user_code": "WDJB-MJHT"]),
    ]

    private func run(_ device: Device, polls: [HTTPResponse]) async throws -> CatalogueRun {
        let bound = try CatalogueRun.bind(device.provider, .init(environment: device.environment))
        var answers = CatalogueWorld.Answers.openID(device.issuer)
        var code: JSONObject = [
            "device_code": "DC-1", "user_code": "WDJB-MJHT", "verification_uri": "https://p.example/go",
            "expires_in": 600, "interval": 5,
        ]
        for (name, value) in device.code { code[name] = value.present }
        answers.device = CatalogueWorld.json(code)
        answers.polls = polls
        return try await CatalogueRun.signIn(bound, flow: Self.flow, answers: answers)
    }

    @Test("asks until the person has decided, in the provider's words", arguments: devices)
    func decided(_ device: Device) async throws {
        let run = try await run(
            device,
            polls: [
                CatalogueWorld.json(device.pending, status: device.pendingStatus),
                CatalogueWorld.json(device.slowDown, status: 400),
                CatalogueWorld.json(CatalogueWorld.Answers.tokens()),
            ])
        #expect(run.outcome.end.name == "done", "\(run.outcomes(of: "poll"))")
        let questions = run.world.sent.filter { $0.purpose == .deviceToken }.map(\.wire)
        #expect(questions.count == 3)
        #expect(questions.first?.body == questions.last?.body)
        let question = try #require(questions.first)
        for (name, value) in device.question { #expect(question[body: name] == value, "\(name)") }
    }

    @Test("a code whose time is over is told so", arguments: devices.filter { $0.expired != nil })
    func expired(_ device: Device) async throws {
        let answer = CatalogueWorld.json(try #require(device.expired), status: 400)
        let run = try await run(device, polls: [answer])
        #expect(run.outcomes(of: "poll") == ["expired"])
    }

    @Test("the person's data are asked for without an ID token where a device gets none")
    func scopes() async throws {
        let run = try await run(
            Self.devices[2], polls: [CatalogueWorld.json(CatalogueWorld.Answers.tokens())])
        let request = try run.sent(.deviceAuthorization)
        #expect(request[body: "scopes"] == "user:read:email")
        #expect(request[body: "scope"] == nil)
        #expect(request[body: "client_secret"] == nil)
    }

    @Test("Amazon is told what is wanted, and who asks, at the beginning alone")
    func amazon() async throws {
        let device = try #require(Self.devices.first { $0.provider == "amazon" })
        let run = try await run(device, polls: [CatalogueWorld.json(CatalogueWorld.Answers.tokens())])
        let request = try run.sent(.deviceAuthorization)
        #expect(request[body: "response_type"] == "device_code")
        #expect(request[body: "client_id"] == "CLIENT-ID-1")
        let question = try run.sent(.deviceToken)
        #expect(question[body: "client_id"] == nil && question[body: "client_secret"] == nil)
    }
}
