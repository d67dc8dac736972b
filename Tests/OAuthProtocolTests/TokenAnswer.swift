import JOSE
import OAuthProtocol
import Testing

/// Answers of token endpoints, and what becomes of them.
enum TokenAnswer {
    static func body(_ changes: [(String, JSONValue?)] = []) -> String {
        var object: JSONObject = [
            "access_token": "at", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt",
            "scope": "openid email",
        ]
        for (name, value) in changes { object[name] = value }
        return JSONValue.object(object).serialize()
    }

    static func read(_ response: HTTPResponse, dialect: ResponseDialect = .standard) throws -> TokenResponse {
        var log = CheckLog()
        return try TokenResponse.read(response, dialect: dialect, log: &log)
    }

    static func refused(
        _ response: HTTPResponse, dialect: ResponseDialect = .standard
    ) -> ProtocolError? {
        failure { log throws(ProtocolError) in
            try TokenResponse.read(response, dialect: dialect, log: &log)
        }.error
    }

    static func path(_ text: String) throws -> ValuePath { try #require(ValuePath(text)) }
}
