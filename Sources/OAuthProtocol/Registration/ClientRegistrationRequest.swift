internal import JOSE

/// The request that makes a client known to a server (RFC 7591 §3.1).
package enum ClientRegistrationRequest {
    /// - Parameter initialAccessToken: What the server's owner gave out, where registration is not open.
    package static func plan(
        endpoint: String, metadata: ClientMetadata, initialAccessToken: Secret? = nil, step: String
    ) -> RequestPlan {
        var plan = ClientManagementRequest.plan(
            .post, endpoint, initialAccessToken, step, reference: "RFC 7591 §3.1")
        plan.bodyFormat = .json
        plan.body = ClientManagementRequest.body(metadata.members, step, "RFC 7591 §3.1")
        return plan.assembled(with: .standard)
    }
}

/// The requests about a client that is known already (RFC 7592 §2).
package enum ClientManagementRequest {
    /// Asks what is registered (RFC 7592 §2.1).
    package static func read(_ management: RegisteredClient.Management, step: String) -> RequestPlan {
        plan(.get, management.uri, management.token, step, reference: "RFC 7592 §2.1")
    }

    /// Replaces what is registered: a member that is left out is removed (RFC 7592 §2.2).
    ///
    /// - Parameter client: Whose metadata it is; its secret is named too, which does not change it.
    package static func update(
        _ client: RegisteredClient, _ management: RegisteredClient.Management, metadata: ClientMetadata,
        step: String
    ) -> RequestPlan {
        let reference = "RFC 7592 §2.2"
        var plan = plan(.put, management.uri, management.token, step, reference: reference)
        plan.bodyFormat = .json
        plan.body = [
            RequestParameter("client_id", .text(client.clientID), .registration, reference)
        ]
        if let secret = client.secret {
            plan.body.append(RequestParameter("client_secret", .secret(secret), .registration, reference))
        }
        plan.body += body(metadata.members, step, reference).filter { !serverMembers.contains($0.name) }
        return plan
    }

    /// Ends the registration (RFC 7592 §2.3).
    package static func delete(_ management: RegisteredClient.Management, step: String) -> RequestPlan {
        plan(.delete, management.uri, management.token, step, reference: "RFC 7592 §2.3")
    }

    /// What the server gives a client, and no client says of itself (RFC 7591 §3.2.1, RFC 7592 §2.2).
    package static let serverMembers = [
        "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at",
        "registration_access_token", "registration_client_uri",
    ]

    static func plan(
        _ method: HTTPMethod, _ url: String, _ token: Secret?, _ step: String, reference: String
    ) -> RequestPlan {
        var plan = RequestPlan(
            method: method, endpoint: url,
            fields: [RequestParameter("Accept", .text("application/json"), .specification, reference)])
        if let token {
            plan.fields.append(
                RequestParameter("Authorization", .scheme("Bearer", token), .step(step), reference))
        }
        return plan
    }

    static func body(_ members: JSONObject, _ step: String, _ reference: String) -> [RequestParameter] {
        members.members.map { name, value in
            let parameter = value.stringValue.map { ParameterValue.text($0) } ?? .json(.value(value))
            return RequestParameter(name, parameter, .step(step), reference)
        }
    }
}
