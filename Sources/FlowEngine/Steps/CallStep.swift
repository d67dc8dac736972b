internal import FlowLanguage
internal import OAuthProtocol

/// Asks the host program through a port that the flow declares (flow/1 §6, `call`).
struct CallStep: StepWork {
    mutating func start(_ registers: inout Registers, _ scope: StepScope) -> StepAction {
        guard let port = port(scope) else {
            preconditionFailure("the linter lets no call name an unknown port")
        }
        var arguments: [String: Value] = [:]
        for (name, code) in templates(scope) {
            guard let type = port.arguments.first(where: { $0.name == name })?.type else { continue }
            let value = registers.evaluate(code, scope.plan)
            guard let value = argument(value, type, registers) else {
                return .finish(
                    .failed(.portFailed, "bad_argument", "argument \"\(name)\" is not of type \(type)"))
            }
            if let text = value.text, text.contains(SecretPlaceholder.text) {
                let reason = SecretPlaceholder.refusal("argument \"\(name)\"")
                return .finish(.failed(.portFailed, "placeholder", reason))
            }
            if !value.isNull { arguments[name] = value }
        }
        registers.conceal(arguments.values.flatMap(PortValue.secrets))
        registers.notes.add(
            .note("asks port \(port.name)(\(arguments.keys.sorted().joined(separator: ", ")))"))
        return .perform(
            .call(
                PortCall(
                    port: port.name, runID: registers[.runID].text ?? "", flow: scope.plan.program.name,
                    step: scope.name, arguments: arguments, row: port,
                    directory: FlowFolder.join(scope.plan.directory, port.folder),
                    timeout: max(1, min(scope.timeout, scope.deadline - registers.now)))))
    }

    private func port(_ scope: StepScope) -> PortRow? {
        guard case .port(let index)? = scope.argument("port") else { return nil }
        return scope.plan.program.ports[index]
    }

    private func templates(_ scope: StepScope) -> [(name: String, code: CodeRange)] {
        if case .templates(let templates)? = scope.argument("args") { templates } else { [] }
    }

    /// A token set is named by its index, and handed over with all that it holds.
    private func argument(
        _ value: Value, _ type: FlowType, _ registers: Registers
    ) -> Value? {
        guard type.required == .tokenset, case .int(let index) = value else {
            return PortValue.checked(value, as: type)
        }
        return registers.tokenSets[Int(index)].map { .map($0.portMembers) }
    }

    mutating func resume(_ event: InputEvent, _ registers: inout Registers, _ scope: StepScope) -> StepAction
    {
        guard case .port(let reply) = event, let port = port(scope) else {
            preconditionFailure("a port was asked, something else was reported")
        }
        if let failure = reply.failure { return .finish(.failed(.portFailed, "port_failed", failure)) }
        return .finish(result(reply, port, &registers, scope))
    }

    /// Takes the answer if it is one that the port declares, field by field.
    private func result(
        _ reply: PortReply, _ port: PortRow, _ registers: inout Registers, _ scope: StepScope
    ) -> StepResult {
        let name = reply.outcome ?? port.outcomes.first ?? ""
        guard port.outcomes.contains(name),
            let outcome = scope.plan.program.outcome(named: name, at: scope.step)
        else {
            return refused(
                "it answered \"\(RemoteText.sanitize(name, limit: 60))\", which is none of its outcomes")
        }
        if let unknown = reply.fields.keys.sorted().first(where: { name in
            !port.fields.contains { $0.name == name }
        }) {
            return refused(
                "it gave \"\(RemoteText.sanitize(unknown, limit: 60))\", which it does not declare")
        }
        let isSuccess = name == port.outcomes.first
        var fields: [Value] = []
        for field in port.fields {
            let given = reply.fields[field.name] ?? .null
            if given.isNull, !isSuccess {
                fields.append(.null)
            } else if let value = PortValue.checked(given, as: field.type) {
                fields.append(value)
            } else {
                return refused(
                    given.isNull
                        ? "it gave no \"\(field.name)\""
                        : "its \"\(field.name)\" is not of type \(field.type)")
            }
        }
        registers.conceal(fields.flatMap(PortValue.secrets))
        return StepResult(outcome, fields: fields)
    }

    private func refused(_ reason: String) -> StepResult { .failed(.portFailed, "bad_answer", reason) }
}

extension TokenSet {
    /// What a port learns of the set that it is handed.
    fileprivate var portMembers: [String: Value] {
        var members: [String: Value] = [
            "access_token": .secret(self.accessToken), "token_type": .string(self.tokenType),
            "scopes": .list(self.scopes.map(Value.string)), "origin": .string(self.origin.rawValue),
        ]
        members["refresh_token"] = self.refreshToken.map(Value.secret)
        members["id_token"] = self.idToken.map(Value.secret)
        members["expires_at"] = self.expiresAt.map(Value.time)
        members["subject"] = self.subject.map(Value.string)
        members["issuer"] = self.issuer.map(Value.string)
        return members
    }
}
