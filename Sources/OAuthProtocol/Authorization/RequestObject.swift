package import JOSE

/// An authorization request that the client signed, so that no browser can change it (RFC 9101).
package enum RequestObject {
    /// `typ` of a request object (RFC 9101 §10.8).
    package static let type = "oauth-authz-req+jwt"
    /// Seconds; long enough for a slow browser. FAPI 2.0 Message Signing §5.3.1 allows an hour.
    package static let lifetime: Int64 = 300
    /// How many random bytes an object takes: `jti`.
    package static let randomByteCount = 16
    /// What no request by OpenID Connect Core §3.1.2.1 is without, beside the client's identifier.
    private static let required: Set = ["response_type", "scope", "redirect_uri"]

    /// Signs all parameters of an authorization request.
    ///
    /// `claims` and `authorization_details` become JSON, `max_age` a number, a parameter that comes several
    /// times a list of texts; everything else is a text (RFC 9101 §4, RFC 9396 §3).
    ///
    /// - Parameters:
    ///   - authorization: What `AuthorizationRequest.plan` made.
    ///   - issuer: Of the server, the only audience.
    ///   - randomBytes: 16 bytes that are used for nothing else.
    ///   - now: Milliseconds since 1970.
    /// - Throws: What `MessageSigner.sign` throws.
    package static func sign(
        _ authorization: RequestPlan, clientID: String, issuer: String, signer: MessageSigner,
        randomBytes: [UInt8], now: Int64, lifetime: Int64 = lifetime
    ) throws(KeyError) -> Secret {
        precondition(randomBytes.count == randomByteCount, "a request object is made of 16 random bytes")
        var claims: JSONObject = [
            "iss": .string(clientID), "aud": .string(issuer), "iat": .int(now / 1000),
            "nbf": .int(now / 1000), "exp": .int(now / 1000 + lifetime),
            "jti": .string(Base64URL.encode(randomBytes)),
        ]
        for (name, value) in parameters(authorization) { claims[name] = value }
        return Secret(try signer.sign(claims, type: type), kind: .requestObject)
    }

    /// Encrypts a signed object for the server (OpenID Connect Core §10.2, RFC 7519 §5.2).
    ///
    /// - Throws: What `JWE.encrypt` throws.
    package static func encrypt(
        _ object: Secret, to key: JWK, by registered: RegisteredEncryption
    ) throws(KeyError) -> Secret {
        var header: JSONObject = ["cty": "JWT"]
        header["kid"] = key.kid.map { .string($0) }
        let encrypted = try JWE.encrypt(
            Array(object.reveal().utf8), header: header, to: key.key, algorithm: registered.algorithm,
            encryption: registered.encryption)
        return Secret(encrypted, kind: .requestObject)
    }

    /// The request that carries the object, to the browser or to be pushed (RFC 9101 §5).
    ///
    /// - Parameter repeatsRequired: Whether `response_type`, `scope` and `redirect_uri` stand beside it too, which makes
    ///   it a request by OIDC Core §3.1.2.1 (§6.1); a server of RFC 9101 reads nothing but the object.
    package static func plan(
        _ object: Secret, in authorization: RequestPlan, clientID: String, repeatsRequired: Bool = false,
        step: String
    ) -> RequestPlan {
        var plan = authorization
        let repeated = plan.query.filter { Self.required.contains($0.name) }
        plan.query = [RequestParameter("client_id", .text(clientID), .registration, "RFC 9101 §5")]
        if repeatsRequired { plan.query += repeated }
        plan.query.append(RequestParameter("request", .secret(object), .step(step), "RFC 9101 §5"))
        plan.raw = []
        return plan
    }

    /// The parameters with their JSON values; an object holds no other (RFC 9101 §4).
    private static func parameters(_ plan: RequestPlan) -> [(String, JSONValue)] {
        let names = plan.query.reduce(into: [String]()) { names, parameter in
            if !names.contains(parameter.name) { names.append(parameter.name) }
        }
        return names.filter { $0 != "request" && $0 != "request_uri" }.map { name in
            let texts = plan.query.filter { $0.name == name }.map(\.value.revealed)
            return (name, texts.count == 1 ? value(texts[0], of: name) : .array(texts.map(JSONValue.string)))
        }
    }

    private static func value(_ text: String, of name: String) -> JSONValue {
        switch name {
        case "max_age": Int64(text).map(JSONValue.int) ?? .string(text)
        // What is no JSON stays the text that somebody wrote.
        case "claims", "authorization_details": (try? JSON.parse(Array(text.utf8))) ?? .string(text)
        default: .string(text)
        }
    }
}

extension ParameterValue {
    /// The text for a message that is signed before it is sent.
    fileprivate var revealed: String {
        switch self {
        case .text(let text): text
        case .secret(let secret): secret.reveal()
        // Neither is a parameter of an authorization request.
        case .basic, .scheme: ""
        case .json(let payload): payload.serialized
        }
    }
}
