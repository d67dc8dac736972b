internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// What a point tells its hooks, without the secrets in it (flow/1 §9, "payload adds").
enum HookFacts {
    /// Where a request goes and what it is made of: names, no values.
    static func request(_ exchange: HTTPExchange, _ secrets: [Secret]) -> JSONValue {
        let plan = exchange.plan
        let url = plan.endpoint.prefix { $0 != "?" && $0 != "#" }
        return [
            "method": .string(plan.method.rawValue), "url": .string(text(String(url), SecretIndex(secrets))),
            "headers": names(exchange.request.fields.map(\.name)),
            "query": names(plan.query.map(\.name)), "body": names(plan.body.map(\.name)),
        ]
    }

    /// An answer with handles in place of its secrets; a body that is no JSON is left out.
    static func response(
        _ response: HTTPResponse, _ purpose: HTTPExchange.Purpose?, _ secrets: [Secret]
    ) -> JSONValue {
        var object: JSONObject = [
            "status": .int(Int64(response.status)), "headers": names(response.fields.map(\.name)),
        ]
        // not JSON: nothing to show
        if let body = response.json {
            object["body"] = AnswerScreen(purpose: purpose, index: SecretIndex(secrets)).shown(body)
        }
        return .object(object)
    }

    /// The text with placeholders for the secrets in it.
    static func text(_ text: String, _ index: SecretIndex) -> String {
        SecretShapes.redacted(index.replaced(in: text))
    }

    static func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

/// Puts handles in the place of what an answer holds of secrets.
///
/// A token endpoint may give a token any name, so of its answers only texts of a known harmless name are shown.
struct AnswerScreen {
    let purpose: HTTPExchange.Purpose?
    /// Of the secrets of the run.
    let index: SecretIndex

    func shown(_ value: JSONValue, named name: String = "") -> JSONValue {
        switch value {
        case .null, .bool, .int, .bigInteger, .number: return value
        case .array(let items): return .array(items.map { shown($0, named: name) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { (HookFacts.text($0.key, index), shown($0.value, named: $0.key)) }))
        case .string(let text):
            guard isSecret(name, text) else { return .string(HookFacts.text(text, index)) }
            return .string(Secret.Kind(rawValue: name).map { "‹\($0.rawValue)›" } ?? "‹secret›")
        }
    }

    private func isSecret(_ name: String, _ text: String) -> Bool {
        let name = SecretName.normal(name)
        // Anybody can fetch it, and its names are those of endpoints and methods.
        if purpose == .discovery { return Self.isToken(text) }
        if SecretName.harmless.contains(name) { return false }
        return issuesTokens || Self.exact.contains(name) || SecretName.isAlike(name) || Self.isToken(text)
    }

    /// Whether a name says that its value is a secret, wherever it stands.
    static func isSecret(_ name: String) -> Bool {
        if CredentialField.holdsCredential(name) { return true }
        let name = SecretName.normal(name)
        return exact.contains(name) || SecretName.tells(name)
    }

    /// The texts of an answer that its names call secrets.
    ///
    /// Not those of names such as `code`, which an answer may give to an error as well, and not what is told about tokens
    /// and secrets, such as a method or an address.
    static func secrets(in response: HTTPResponse) -> [Secret] {
        // not JSON: nothing is named
        response.json.map { secrets(in: $0, named: "") } ?? []
    }

    /// The same of what an answer has beside its tokens; a word such as `active` is none.
    static func secrets(amongFurther members: JSONObject) -> [Secret] {
        secrets(in: .object(members), named: "").filter { $0.length >= SecretIndex.shortest }
    }

    private static func secrets(in value: JSONValue, named name: String) -> [Secret] {
        switch value {
        case .null, .bool, .int, .bigInteger, .number: []
        case .array(let items): items.flatMap { secrets(in: $0, named: name) }
        case .object(let members): members.flatMap { secrets(in: $0.value, named: $0.key) }
        case .string(let text):
            SecretName.tells(SecretName.normal(name)) || isToken(text)
                ? [Secret(text, kind: Secret.Kind(rawValue: name) ?? .other)] : []
        }
    }

    private var issuesTokens: Bool {
        switch purpose {
        case .token, .refresh, .deviceAuthorization, .deviceToken, .clientCredentials, .tokenExchange,
            .jwtBearer, .registration, .pushedAuthorization:
            true
        case .discovery, .jwks, .userinfo, .revocation, .introspection, .http, nil: false
        }
    }

    private static let exact: Set<String> = [
        "code", "state", "nonce", "pin", "otp", "key", "cookie", "k", "d",
    ]

    /// A JWT or JWE by its looks (RFC 7519 §3).
    private static func isToken(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }
}
