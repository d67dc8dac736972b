package import OAuthProtocol
package import YAMLText

/// What is known of a provider when a flow is held against it.
package struct BindFacts: Sendable {
    package let descriptor: ProviderDescriptor
    /// Every template filled in; `nil` while a variable has no value.
    package let bound: BoundDescriptor?
    /// The server's own metadata where a copy is at hand; the descriptor's facts are laid over it.
    package let metadata: ServerMetadataFields?
    /// Whether the store keeps processes from renewing one session at once.
    package let locksStore: Bool

    package init(
        descriptor: ProviderDescriptor, bound: BoundDescriptor?, metadata: ServerMetadataFields? = nil,
        locksStore: Bool = true
    ) {
        self.descriptor = descriptor
        self.bound = bound
        self.metadata = metadata
        self.locksStore = locksStore
    }

    /// Everything that is known of the server: the descriptor's word before the server's.
    var server: ServerMetadataFields {
        let declared = bound?.serverFields() ?? descriptor.server.members
        return metadata?.overlaid(by: declared) ?? declared
    }

    /// Whether what is not known may still be in the server's metadata.
    var mayLearn: Bool { metadata == nil && descriptor.discovery != .off && descriptor.server.issuer != nil }

    private func mayLearn(_ path: KeyPath<ServerMetadataFields, String?>) -> Bool {
        let isRemoved = ServerMetadataFields.urls.contains {
            $0.path == path && descriptor.server.removed.contains($0.name)
        }
        return mayLearn && !isRemoved
    }
}

/// Flow and provider together: FL090 to FL096, and what the flow alone could not decide (flow/1 §13, bind).
package enum BindRules {
    /// - Parameter providers: In the order of the program's slots; `nil` for one that is not known yet.
    package static func check(_ program: FlowProgram, _ providers: [BindFacts?]) -> [Diagnostic] {
        var findings = Findings(file: program.file)
        for (index, facts) in providers.enumerated() where index < program.providers.count {
            guard let facts else { continue }
            checkDeferred(program, index, facts, &findings)
            checkRequirements(program.providers[index], facts, &findings)
            AuthenticationRules.check(program, index, facts, &findings)
            for step in program.steps.indices where program.steps[step].provider == index {
                let row = program.steps[step]
                var found = Findings(file: row.file ?? program.file)
                CapabilityRules.check(row, program, facts, &found)
                RequestRules.check(row, program, facts, &found)
                findings.diagnostics += found.diagnostics
            }
        }
        return findings.sorted
    }

    /// FL052, FL090
    private static func checkDeferred(
        _ program: FlowProgram, _ provider: Int, _ facts: BindFacts, _ findings: inout Findings
    ) {
        for deferred in program.deferred where deferred.provider == provider {
            switch deferred.condition {
            case .keepsRefreshTokens:
                if facts.descriptor.refresh.rotation != .reusable {
                    findings.diagnostics.append(deferred.diagnostic)
                }
            case .names(let name, let place, let isDemanded):
                CapabilityRules.checkName(
                    name, in: place, isDemanded: isDemanded, at: deferred.diagnostic, facts, &findings)
            }
        }
    }

    /// FL090: what `providers.ALIAS.requires` lists.
    private static func checkRequirements(
        _ slot: ProviderSlot, _ facts: BindFacts, _ findings: inout Findings
    ) {
        for requirement in slot.requirements {
            guard let capability = Capability(rawValue: requirement.value),
                facts.lacks(capability)
            else { continue }
            findings.report(
                "FL090", at: requirement.span,
                "\(facts.descriptor.displayName) has no \(capability.rawValue), which the flow requires")
        }
    }
}

/// What a provider can do beside the code flow, by the words of `requires`.
package enum Capability: String, CaseIterable, Sendable {
    case discovery, refresh, userinfo, revocation, introspection, device, logout
    case idToken = "id_token"
}

extension BindFacts {
    /// Whether the provider certainly cannot do it.
    func lacks(_ capability: Capability) -> Bool {
        switch capability {
        case .discovery: descriptor.discovery == .off || descriptor.server.issuer == nil
        case .refresh: !descriptor.refresh.isSupported
        case .userinfo: !descriptor.hasProfileWithoutUserInfo && lacksUserInfo
        case .revocation:
            lacks(
                \.revocationEndpoint, descriptor.server.revocationEndpoint,
                descriptor.revocation.operation.request)
        case .introspection:
            lacks(
                \.introspectionEndpoint, descriptor.server.introspectionEndpoint,
                descriptor.introspection.request)
        case .device:
            lacks(
                \.deviceAuthorizationEndpoint, descriptor.server.deviceAuthorizationEndpoint,
                descriptor.deviceAuthorization.request)
        case .logout: lacks(\.endSessionEndpoint, descriptor.server.endSessionEndpoint)
        case .idToken: descriptor.issuesNoIDToken
        }
    }

    private var lacksUserInfo: Bool {
        !descriptor.userinfo.isSupported
            || lacks(
                \.userinfoEndpoint, descriptor.server.userinfoEndpoint,
                descriptor.userinfo.operation.request)
    }

    /// Whether neither the descriptor nor the metadata names an endpoint, and no metadata is left to ask.
    ///
    /// - Parameter operation: A request that may bring an endpoint of its own.
    func lacks(
        _ path: KeyPath<ServerMetadataFields, String?>, _ declared: DescriptorText?,
        _ operation: DialectFacts = DialectFacts()
    ) -> Bool {
        declared == nil && operation.endpoint == nil && !mayLearn(path) && metadata?[keyPath: path] == nil
    }
}
