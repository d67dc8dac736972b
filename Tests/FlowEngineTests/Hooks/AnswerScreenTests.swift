import JOSE
import OAuthProtocol
import Testing

@testable import FlowEngine

@Suite("Answers as hooks and texts may have them")
struct AnswerScreenTests {
    private static let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln"
    private static let url = "https://p.example/authorize"

    static let texts: [(purpose: HTTPExchange.Purpose?, name: String, text: String, shown: String)] = [
        // A token endpoint may give a token any name.
        (.token, "anything", "v", "‹secret›"), (.registration, "anything", "v", "‹secret›"),
        (.token, "access_token", "v", "‹access_token›"), (.token, "token_type", "Bearer", "Bearer"),
        // Elsewhere the name tells, or the looks.
        (.http, "anything", "v", "v"), (.userinfo, "anything", "v", "v"), (nil, "anything", "v", "v"),
        (.http, "code", "v", "‹code›"), (.userinfo, "K", "v", "‹secret›"),
        (.http, "Session-Id", "v", "‹secret›"), (.http, "token_endpoint", url, url),
        (.http, "anything", jwt, "‹secret›"), (.http, "anything", "eyJ.b", "eyJ.b"),
        (.http, "anything", "a.b.c", "a.b.c"),
        // Anybody can fetch metadata.
        (.discovery, "authorization_endpoint", url, url), (.discovery, "code", "v", "v"),
        (.discovery, "anything", jwt, "‹secret›"),
    ]

    @Test("a text is shown or not by its name, its looks and what was asked", arguments: texts)
    func text(row: (purpose: HTTPExchange.Purpose?, name: String, text: String, shown: String)) {
        let screen = AnswerScreen(purpose: row.purpose, index: SecretIndex([]))
        let answer: JSONValue = [row.name: [.string(row.text), 1]]
        #expect(screen.shown(answer) == [row.name: [.string(row.shown), 1]])
    }

    @Test("what lies beside tokens is secret by name or looks, unless a word as short is in every text")
    func further() {
        let long = String(repeating: "a", count: SecretIndex.shortest)
        let members: JSONObject = [
            "api_key": .string(long), "password": .string(String(long.dropLast())), "note": .string(long),
            "proof": .string(Self.jwt), "session": ["deep": [["token": .string(long + "b")]]],
        ]
        let found = AnswerScreen.secrets(amongFurther: members).map { $0.reveal() }
        #expect(found == [long, Self.jwt, long + "b"])
    }
}
