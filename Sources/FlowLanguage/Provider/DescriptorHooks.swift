package import YAMLText

/// A closure of the embedding program that a descriptor calls for around the steps of a kind, where no field of the
/// vocabulary says what a provider needs.
package struct DescriptorHook: Sendable, Hashable {
    package let point: HookPoint
    package let kind: StepKind
    /// Under which the embedding program registers the closure.
    package let closure: String
    package let span: SourceSpan
}

extension DescriptorReader {
    /// The kinds around whose steps a descriptor may ask for a closure: those that speak to the provider.
    private static let hookedKinds: [StepKind] = [
        .discover, .authorize, .callback, .exchange, .verifyIDToken, .userinfo, .refresh, .revoke,
        .introspect,
        .deviceAuthorize, .devicePoll, .clientCredentials, .tokenExchange, .jwtBearer, .register,
        .logout,
    ]

    static let hookKeys =
        hookedKinds.map { "before_\($0.rawValue)" } + hookedKinds.map { "after_\($0.rawValue)" }
        + ["headers", "query"]

    mutating func hooks() -> [DescriptorHook] {
        guard let hooks = root.mapping("hooks", keys: Self.hookKeys, &diagnostics) else { return [] }
        return Self.hookedKinds.flatMap { kind in
            [("before_", HookPoint.stepBefore), ("after_", .stepAfter)].compactMap { prefix, point in
                let key = prefix + kind.rawValue
                guard let name = hooks.string(key, &diagnostics), let node = hooks[key] else { return nil }
                if name.isEmpty { hooks.wrong(key, node, "the name of a closure", &diagnostics) }
                return DescriptorHook(point: point, kind: kind, closure: name, span: node.span)
            }
        }
    }
}

extension FlowProgram {
    /// The program with the closures that its providers' descriptors call for.
    ///
    /// They lie around the flow's own hooks: before a step the descriptor's come first, after it last (flow/1 §9). A
    /// closure sees what the step has brought, secrets excepted, writes nothing and may end the run.
    ///
    /// - Parameter descriptors: One for each provider of the program.
    package func withHooks(of descriptors: [ProviderDescriptor]) -> FlowProgram {
        guard descriptors.contains(where: { !$0.hooks.isEmpty }) else { return self }
        var program = self
        for index in steps.indices where descriptors.indices.contains(steps[index].provider) {
            let descriptor = descriptors[steps[index].provider]
            for hook in descriptor.hooks where hook.kind == steps[index].kind {
                let number = program.hooks.count
                program.hooks.append(row(hook, descriptor.id, at: index))
                let isBefore = hook.point == .stepBefore
                program.steps[index] = program.steps[index].with(
                    before: isBefore ? [number] : [], after: isBefore ? [] : [number])
            }
        }
        return program
    }

    private func row(_ hook: DescriptorHook, _ provider: String, at index: Int) -> HookRow {
        let step = steps[index]
        let fields = hook.point == .stepAfter ? step.fieldBase..<(step.fieldBase + step.fieldCount) : 0..<0
        let reads = fields.filter { slots[$0].type.required != .secret }.map { slot in
            HookRow.Read(path: slots[slot].path, slot: slot)
        }
        return HookRow(
            id: "\(provider).\(hook.closure)", point: hook.point, outcomes: nil, condition: nil,
            action: .native(name: hook.closure), reads: reads, grants: [], writes: [],
            timeout: HookRow.closureTimeout, onFailure: .abort,
            powers: HookRow.Powers(allowed: [.abort]), simulation: nil, span: step.span)
    }
}
