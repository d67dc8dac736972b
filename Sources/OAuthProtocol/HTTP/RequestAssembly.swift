extension RequestPlan {
    /// The plan as the provider wants it.
    ///
    /// The order is normative, so that golden files are stable: standard parameters with client
    /// authentication (already here), `parameters`, `omit`, `rename` (renamed ones move last, in their own
    /// order), `query`, `fields`. `parameters` may replace a standard parameter but none of
    /// `protectedParameters`; `rename` may move a value into a protected name.
    package func assembled(with dialect: RequestDialect) -> RequestPlan {
        var plan = self
        plan.method = dialect.method ?? method
        plan.bodyFormat = dialect.bodyFormat ?? plan.defaultBodyFormat(with: dialect)
        let list: WritableKeyPath<RequestPlan, [RequestParameter]> =
            plan.bodyFormat == .none ? \.query : \.body
        if let grantType = dialect.grantType { plan[keyPath: list].replace(grantType) }
        for parameter in dialect.parameters where !Self.protectedParameters.contains(parameter.name) {
            plan[keyPath: list].set(parameter)
        }
        plan[keyPath: list].removeAll { dialect.omit.contains($0.name) }
        plan[keyPath: list].rename(dialect.rename)
        // What is not sent is no part of the request.
        if plan.bodyFormat == .none { plan.body = [] }
        plan.raw = raw.union(dialect.raw)
        for parameter in dialect.query { plan.query.set(parameter) }
        for field in dialect.fields { plan.fields.set(field: field) }
        return plan
    }

    /// The plan with the parameters of those names first, as they are sent, in their order; the others stay behind them.
    func ordered(by names: [String]) -> RequestPlan {
        guard !names.isEmpty else { return self }
        var plan = self
        plan.query =
            names.flatMap { name in query.filter { $0.name == name } }
            + query.filter { !names.contains($0.name) }
        return plan
    }

    /// The plan with what could be written only after its body.
    package func adding(query: [RequestParameter], fields: [RequestParameter]) -> RequestPlan {
        var plan = self
        for parameter in query { plan.query.set(parameter) }
        for field in fields { plan.fields.set(field: field) }
        return plan
    }

    /// The plan with what is made of all its other parameters: beside them, under the names that are given.
    package func adding(_ parameters: [RequestParameter]) -> RequestPlan {
        var plan = self
        let list: WritableKeyPath<RequestPlan, [RequestParameter]> = bodyFormat == .none ? \.query : \.body
        for parameter in parameters { plan[keyPath: list].set(parameter) }
        return plan
    }

    /// The parameters of body and query as they are meant, before anything is encoded; as secret as what is in them.
    package var namedTexts: [(name: String, text: Secret)] {
        (body + query).map { ($0.name, Secret($0.value.materialized, kind: .other)) }
    }

    /// What the engine owns: a descriptor or flow cannot set these, only rename or omit them.
    package static let protectedParameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "state", "nonce", "code_challenge",
        "code_challenge_method",
        "code", "code_verifier", "client_secret", "client_assertion", "client_assertion_type", "request",
        "request_uri", "dpop_jkt",
    ]

    /// A POST that had no body until the dialect added parameters is a form.
    private func defaultBodyFormat(with dialect: RequestDialect) -> BodyFormat {
        method == .post && bodyFormat == .none && !dialect.parameters.isEmpty ? .form : bodyFormat
    }
}

extension [RequestParameter] {
    /// Replaces the parameter of that name where it stands, or appends: no name is sent twice (RFC 6749
    /// §3.1).
    package mutating func set(_ parameter: RequestParameter) {
        if let index = firstIndex(where: { $0.name == parameter.name }) {
            self[index] = parameter
        } else {
            append(parameter)
        }
    }

    /// Replaces the parameter of that name where there is one.
    fileprivate mutating func replace(_ parameter: RequestParameter) {
        if contains(where: { $0.name == parameter.name }) { set(parameter) }
    }

    /// The same for header fields, whose names have no case.
    mutating func set(field: RequestParameter) {
        if let index = firstIndex(where: { $0.name.equalsIgnoringASCIICase(field.name) }) {
            self[index] = field
        } else {
            append(field)
        }
    }

    /// Moves what is renamed last. Of parameters that come to the same name the last one stays, with all the values that it
    /// had under its own: a resource may be several (RFC 8707 §2).
    mutating func rename(_ names: [String: String]) {
        let renamed = filter { names[$0.name] != nil }
        removeAll { names[$0.name] != nil }
        for old in renamed.map(\.name).uniqued {
            let name = names[old] ?? old
            removeAll { $0.name == name }
            for var parameter in renamed where parameter.name == old {
                parameter.name = name
                append(parameter)
            }
        }
    }
}
