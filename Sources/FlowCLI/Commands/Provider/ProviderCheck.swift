internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// One thing that `provider test` looked at.
struct ProviderCheck: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable {
        case pass, warn, fail, skip
    }

    let id: String
    let verdict: Verdict
    /// What was found, in a line; remote texts are already harmless.
    let detail: String
    /// What a person can do.
    let fix: String?
    /// What the command ends with when this is the first failure.
    let status: ExitStatus

    private init(
        _ id: String, _ verdict: Verdict, _ detail: String, fix: String? = nil, status: ExitStatus = .ok
    ) {
        self.id = id
        self.verdict = verdict
        self.detail = RemoteText.sanitize(detail)
        self.fix = fix.map { RemoteText.sanitize($0) }
        self.status = status
    }

    static func pass(_ id: String, _ detail: String) -> ProviderCheck { ProviderCheck(id, .pass, detail) }

    static func skip(_ id: String, _ reason: String) -> ProviderCheck { ProviderCheck(id, .skip, reason) }

    static func warn(_ id: String, _ detail: String, fix: String? = nil) -> ProviderCheck {
        ProviderCheck(id, .warn, detail, fix: fix)
    }

    static func fail(_ id: String, _ detail: String, fix: String?, _ status: ExitStatus) -> ProviderCheck {
        ProviderCheck(id, .fail, detail, fix: fix, status: status)
    }

    static func fail(_ id: String, _ problem: Problem) -> ProviderCheck {
        fail(id, problem.message, fix: problem.fix, problem.status)
    }

    static func fail(_ id: String, _ failure: ProbeFailure) -> ProviderCheck {
        fail(id, failure.words, fix: failure.fix, failure.status)
    }
}

/// The checks as text or JSON.
struct ProviderCheckReport: Sendable {
    let provider: String
    let title: String
    let checks: [ProviderCheck]

    /// That of the first failure.
    var status: ExitStatus { checks.first { $0.verdict == .fail }?.status ?? .ok }

    func text(_ options: RenderOptions, isQuiet: Bool) -> String {
        var page = Page(options)
        let width = (checks.map(\.id.count).max() ?? 0) + 4
        for check in checks where !isQuiet || check.verdict == .fail {
            let start = Self.sign(check.verdict) + Styled(" \(check.id)".padded(to: width - 1))
            page.line(
                page.padded(start, to: width) + Styled(check.detail, check.verdict == .skip ? .dim : .plain),
                hanging: width)
            if let fix = check.fix {
                page.line(Styled("fix ", .dim) + Styled(fix), indent: width, hanging: width + 4)
            }
        }
        if !isQuiet {
            page.blank()
            page.line(Styled("\(title): \(summary)", status == .ok ? .good : .bad))
        }
        return page.take()
    }

    private static func sign(_ verdict: ProviderCheck.Verdict) -> Styled {
        switch verdict {
        case .pass: Styled(Symbol.passed, .good)
        case .warn: Styled(Symbol.warning, .warning)
        case .fail: Styled(Symbol.failed, .bad)
        case .skip: Styled(Symbol.dot, .dim)
        }
    }

    private var summary: String {
        func count(_ verdict: ProviderCheck.Verdict) -> Int { checks.count { $0.verdict == verdict } }
        let parts = [
            "\(count(.pass)) passed", count(.fail) > 0 ? "\(count(.fail)) failed" : nil,
            count(.warn) > 0 ? "\(count(.warn)) to look at" : nil,
            count(.skip) > 0 ? "\(count(.skip)) skipped" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    var json: String { object.serialize(pretty: true) + "\n" }

    var object: JSONObject {
        let items = checks.map { check -> JSONValue in
            [
                "check": .string(check.id), "verdict": .string(check.verdict.rawValue),
                "detail": .string(check.detail), "fix": check.fix.map { .string($0) } ?? .null,
            ]
        }
        return [
            "provider": .string(provider), "checks": .array(items),
            "exit": ["code": .int(Int64(status.rawValue)), "name": .string(status.name)],
        ]
    }
}
