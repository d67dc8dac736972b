import JOSE
import OAuthProtocol

/// What must hold for any bytes that claim to be an answer of a provider: nothing traps, and what is accepted
/// satisfies the rule again when it is read in another way.
enum AnswerFuzzing {
    private static let issuer = "https://op.example"

    // MARK: Callback

    /// The input is the query of the redirect URI, or the body of a `form_post`, which is written alike.
    static func callback(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self),
            let parameters = QueryItems.parse(text)
        else { return nil }
        guard let again = QueryItems.parse(QueryItems.encode(parameters)),
            again.elementsEqual(parameters, by: { $0.name == $1.name && $0.value == $1.value })
        else { return "parameters that read otherwise" }
        for dialect in dialects {
            _ = dialect.states(in: parameters)
            for isIssuerPromised in [false, true] {
                if let problem = validate(dialect.standard(parameters), isIssuerPromised) { return problem }
            }
        }
        return secured(parameters)
    }

    private static func validate(
        _ parameters: [(name: String, value: String)], _ isIssuerPromised: Bool
    ) -> String? {
        let values = { (name: String) in parameters.filter { $0.name == name }.map(\.value) }
        var log = CheckLog()
        do throws(ProtocolError) {
            let response = try AuthorizationResponse.validate(
                parameters, transaction: transaction, issuerParameterSupported: isIssuerPromised, log: &log)
            guard values("state") == ["fuzz-state"] else { return "a state of nobody" }
            guard values("iss") == [issuer] || values("iss").isEmpty && !isIssuerPromised else {
                return "an issuer of nobody"
            }
            guard values("code") == [response.code.reveal()], values("error").allSatisfy(\.isEmpty) else {
                return "a code in spite of an error, or another one"
            }
        } catch {
            // Only an answer to this run may say that the provider refused.
            if case .rejected = error, values("state") != ["fuzz-state"] { return "a refusal by nobody" }
        }
        return nil
    }

    /// Nothing signs for this key, so no secured answer can be right.
    private static func secured(_ parameters: [(name: String, value: String)]) -> String? {
        var log = CheckLog()
        guard let strangers else { return "no keys" }
        guard let token = try? SecuredAuthorizationResponse.token(in: parameters, log: &log) else {
            return nil
        }
        let verified = try? MessageSignature.verify(
            token, .authorizationResponse, keys: strangers, allowed: SignatureAlgorithm.allCases, log: &log)
        return verified == nil ? nil : "a signature by nobody"
    }

    private static let transaction = AuthorizationTransaction(
        state: Secret("fuzz-state", kind: .state), nonce: nil, pkce: nil,
        redirectURI: "http://127.0.0.1:8765/callback", issuer: issuer, clientID: "c", scopes: ["openid"],
        createdAt: 0)

    private static let dialects: [CallbackDialect] = {
        var renamed = CallbackDialect()
        renamed.rename = ["auth_code": "code", "st": "state"]
        renamed.decoded = ["state", "code"]
        renamed.errorCode = ["errno", "err"]
        renamed.errorDescription = ["errmsg"]
        var secured = CallbackDialect()
        secured.isSecured = true
        return [CallbackDialect(), renamed, secured]
    }()

    /// A key whose private half was thrown away.
    private static let strangers = try? JWKSet.parse([
        "keys": [["kty": "OKP", "crv": "Ed25519", "x": "Zpu5OX8fDZ9v_mQV0jd4vYJBN82G3x7ZG_tLSINibnI"]]
    ])

    // MARK: Token response

    /// The first byte chooses how the provider writes its answers, and with which status and type this one came.
    static func tokenResponse(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        let (status, demand) = requests[Int(first >> 6)]
        let response = HTTPResponse(
            status: status,
            fields: [HTTPField("Content-Type", contentTypes[Int(first >> 3 & 3)])],
            body: Array(bytes.dropFirst()))
        let dialect = answers[Int(first & 7)]
        var log = CheckLog()
        guard let read = try? TokenResponse.read(response, dialect: dialect, demand: demand, log: &log)
        else { return nil }
        let token = read.accessToken.reveal()
        guard response.status == 200 else { return "a token with status \(response.status)" }
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "a token that no field can hold"
        }
        guard (read.expiresIn ?? 0) >= 0, (read.expiresAt ?? 0) >= 0 else { return "a lifetime below zero" }
        guard ["Bearer", "DPoP"].contains(where: read.tokenType.equalsIgnoringASCIICase) else {
            return "a token of the type \(read.tokenType)"
        }
        return holdsToken(.object(read.members)) ? "a token among the other members" : nil
    }

    private static func holdsToken(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            object.members.contains {
                ["access_token", "refresh_token", "id_token"].contains($0.key) || holdsToken($0.value)
            }
        case .array(let values): values.contains(where: holdsToken)
        case .null, .bool, .int, .bigInteger, .number, .string: false
        }
    }

    /// Statuses that came, and what was asked for.
    private static let requests: [(status: Int, demand: TokenTypeDemand)] = [
        (200, .bearer), (200, .dpop), (200, .dpopOrBearer), (400, .bearer),
    ]

    private static let contentTypes = [
        "application/json", "application/x-www-form-urlencoded", "text/html", "text/xml",
    ]

    /// One of each format, and one with every rule that a descriptor can write.
    private static let answers: [ResponseDialect] = {
        var odd = ResponseDialect(
            errorWhen: [
                ValuePath("ok").map {
                    ResponseDialect.ErrorCondition(paths: [$0], test: .equals(.bool(false)))
                },
                ValuePath("errors[0].code").map {
                    ResponseDialect.ErrorCondition(paths: [$0], test: .exists(true))
                },
            ].compactMap(\.self),
            errorCode: ["errors[0].code", "code"].compactMap { ValuePath($0) },
            errorDescription: ["errors[*].text"].compactMap { ValuePath($0) },
            unwrap: ["data", "result"].compactMap { ValuePath($0) },
            map: [
                "access_token": [ValuePath("token.value"), ValuePath("tokens[?primary].value")]
                    .compactMap(\.self)
            ],
            types: ["expires_in": .duration, "expires_at": .iso8601, "scope": .comma],
            defaults: ["token_type": "Bearer"])
        odd.tokens = ValuePath("authed_user").map { ["user": [$0]] } ?? [:]
        odd.bearerTypes = ["user"]
        odd.keep = [[ValuePath("team.id")], [ValuePath("list[2]"), ValuePath("list")]].map {
            $0.compactMap(\.self)
        }
        return ResponseDialect.Format.allCases.map { format in
            ResponseDialect(
                format: format, unwrap: format == .xml ? [ValuePath("OAuth")].compactMap(\.self) : [])
        } + [odd]
            + [
                ResponseDialect(
                    types: ["expires_in": .milliseconds, "expires_at": .epochMilliseconds, "scope": .list])
            ]
    }()

    // MARK: Discovery

    static func metadata(_ bytes: [UInt8]) -> String? {
        let response = HTTPResponse(
            status: 200, fields: [HTTPField("Content-Type", "application/json")], body: bytes)
        for issuer in [issuer, "http://127.0.0.1:9400"] {
            var log = CheckLog()
            guard
                let read = try? DiscoveredMetadata.validate(
                    response, issuer: issuer, acceptedIssuers: [], log: &log)
            else { continue }
            if let problem = check(read, issuer: issuer) { return problem }
        }
        return nil
    }

    private static func check(_ metadata: DiscoveredMetadata, issuer: String) -> String? {
        let fields = metadata.fields
        guard metadata.documentIssuer == issuer, fields.issuer == issuer else { return "another issuer" }
        guard ServerMetadataFields().overlaid(by: fields) == fields else {
            return "fields that are not what they are"
        }
        let schemes = issuer.hasPrefix("https:") ? ["https://"] : ["https://", "http://"]
        for fields in [fields, fields.forMutualTLS()] {
            for (name, path) in ServerMetadataFields.urls {
                guard let url = fields[keyPath: path] else { continue }
                let isSecure = schemes.contains { url.lowercased().hasPrefix($0) }
                guard isSecure else { return "\(name) is not secure" }
                let isPrintable = url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                guard isPrintable else { return "\(name) is no URL" }
            }
        }
        return nil
    }
}
