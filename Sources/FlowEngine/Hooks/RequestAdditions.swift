internal import FlowLanguage
internal import OAuthProtocol

/// What hooks may add to a request: header fields and query parameters of an allow-list, none that it has already.
struct RequestAdditions {
    struct Refusal: Error {
        let reason: String
    }

    let plan: RequestPlan
    /// What hooks before this one have added.
    let wishes: HookRound.Wishes
    let provider: ProviderDescriptor
    let hook: String

    /// The parameters, or why not one of them is added.
    func parameters(
        _ reply: HookReply
    ) -> Result<(headers: [RequestParameter], query: [RequestParameter]), Refusal> {
        var headers: [RequestParameter] = []
        for (name, value) in reply.headers.sorted(by: { $0.key < $1.key }) {
            if let reason = refusal(ofHeader: name, value) { return .failure(Refusal(reason: reason)) }
            headers.append(parameter(name, value))
        }
        var query: [RequestParameter] = []
        for (name, value) in reply.query.sorted(by: { $0.key < $1.key }) {
            if let reason = refusal(ofQuery: name, value) { return .failure(Refusal(reason: reason)) }
            query.append(parameter(name, value))
        }
        return .success((headers, query))
    }

    /// What a hook adds nobody has declared: it is a secret by its name.
    private func parameter(_ name: String, _ value: String) -> RequestParameter {
        let isSecret = AnswerScreen.isSecret(name)
        return RequestParameter(
            name, isSecret ? .secret(Secret(value, kind: .other)) : .text(value), .hook(hook))
    }

    private func refusal(ofHeader name: String, _ value: String) -> String? {
        let shown = "the header field \"\(RemoteText.sanitize(name, limit: 80))\""
        if Self.steering.contains(where: { name.lowercased().hasPrefix($0) }) {
            return "it added \(shown), by which some servers take a request for another than it is"
        }
        guard isAllowedHeader(name.lowercased()) else {
            let known = (["user-agent", "accept-language", "x-*"] + provider.extras.hookHeaders).joined(
                separator: ", ")
            return "it added \(shown), which hooks may not add; they may add \(known)"
        }
        guard Self.isValue(value) else {
            return "\(shown) has a value that is not printable ASCII up to 1 KiB"
        }
        let present = plan.fields.map(\.name) + wishes.headers.map(\.name)
        guard !present.contains(where: { $0.equalsIgnoringASCIICase(name) }) else {
            return "it added \(shown), which the request has already"
        }
        return nil
    }

    private func isAllowedHeader(_ name: String) -> Bool {
        guard name.utf8.count <= 64, name.utf8.allSatisfy({ Self.isWord($0) || $0 == 0x2D }) else {
            return false
        }
        return name == "user-agent" || name == "accept-language" || name.hasPrefix("x-")
            || provider.extras.hookHeaders.contains { $0.equalsIgnoringASCIICase(name) }
    }

    /// Fields by which some servers take a request for another than it is.
    private static let steering = [
        "x-http-method", "x-method-override", "x-forwarded-", "x-original-", "x-rewrite-", "x-real-ip",
        "x-host",
    ]

    private func refusal(ofQuery name: String, _ value: String) -> String? {
        let shown = "the query parameter \"\(RemoteText.sanitize(name, limit: 80))\""
        let isWord = name.utf8.count <= 64 && name.utf8.allSatisfy { Self.isWord($0) || $0 == 0x2D }
        guard isWord, name.hasPrefix("x-") || provider.extras.hookQuery.contains(name) else {
            let known = (["x-*"] + provider.extras.hookQuery).joined(separator: ", ")
            return "it added \(shown), which hooks may not add; they may add \(known)"
        }
        guard Self.isValue(value) else {
            return "\(shown) has a value that is not printable ASCII up to 1 KiB"
        }
        let written = plan.endpoint.firstIndex(of: "?").map { plan.endpoint[$0...].dropFirst() } ?? ""
        let present =
            (plan.query + plan.body + wishes.query).map(\.name)
            + (QueryItems.parse(written)?.map(\.name) ?? [])
        guard !present.contains(name) else { return "it added \(shown), which the request has already" }
        return nil
    }

    /// A letter, a digit or an underscore.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isValue(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= 1024 && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
