internal import FlowEngine
internal import FlowLanguage
internal import FlowLive
internal import JOSE
internal import OAuthProtocol

/// `provider pins`: the certificates that a provider's hosts show now, and a `tls` mapping that pins them.
struct ProviderPinsCommand: Sendable {
    let context: CommandContext
    let request: ProviderPinsRequest

    /// A host with its chain, or why there is none.
    private struct Shown: Sendable {
        let host: ProviderHosts.Row
        let chain: Result<[CertificateSummary], TransportFailure>
    }

    func run() async throws(Problem) -> Int {
        let survey = try ProviderSurvey(request.provider, request.client, context, isRehearsal: true)
        let bound = try survey.bound()
        let cached = CachedMetadata(context.surroundings).fields(of: bound.bound)
        let hosts = ProviderHosts(bound, cached).rows.filter(\.isAskedByProgram)
        guard !hosts.isEmpty else {
            throw Problem(.config, "provider \"\(survey.descriptor.id)\" has no host that is asked by https")
        }
        let probe = try LiveSetup(surroundings: context.surroundings, secretVariables: []).chainProbe(
            request.live)
        let shown = await ask(hosts, probe)
        switch request.form {
        case .json: context.write(json(shown))
        case .text: context.write(text(shown))
        }
        if survey.descriptor.discovery != .off, cached == nil {
            context.note(
                "its metadata may name further hosts and is not cached; fetch it: flowrun provider test "
                    + request.provider)
        }
        return status(shown)
    }

    /// All at once; in the order of a sign-in, whichever answers first.
    private func ask(_ hosts: [ProviderHosts.Row], _ probe: ChainProbe) async -> [Shown] {
        await withTaskGroup(of: (Int, Shown).self) { group in
            for (index, host) in hosts.enumerated() {
                group.addTask {
                    (
                        index,
                        Shown(host: host, chain: await probe.chain(of: "https://\(host.host):\(host.port)"))
                    )
                }
            }
            var shown: [(Int, Shown)] = []
            for await one in group { shown.append(one) }
            return shown.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func status(_ shown: [Shown]) -> Int {
        for one in shown {
            if case .failure(let failure) = one.chain {
                return ProbeFailure.transport(failure).status.rawValue
            }
        }
        return ExitStatus.ok.rawValue
    }

    // MARK: Text

    private func text(_ shown: [Shown]) -> String {
        var page = Page(RenderOptions(context.common, context.surroundings.output, context.surroundings))
        for one in shown {
            page.line(
                Styled("\(one.host.host):\(one.host.port)", .strong)
                    + Styled("  \(one.host.purposes.joined(separator: ", "))", .dim), hanging: 4)
            switch one.chain {
            case .failure(let failure): page.line(Styled(failure.message, .bad), indent: 2)
            case .success(let chain):
                for (index, certificate) in chain.enumerated() { write(certificate, index, &page) }
            }
            page.blank()
        }
        let block = PinBlock(shown.map { ($0.host, (try? $0.chain.get()) ?? []) })
        guard !block.isEmpty else { return page.take() }
        page.line(Styled("for the provider file; compare the pins over another connection first:", .dim))
        page.blank()
        return page.take() + block.yaml
    }

    private func write(_ certificate: CertificateSummary, _ index: Int, _ page: inout Page) {
        page.line(
            Styled("\(index)  ") + Styled(certificate.subject)
                + Styled("  until \(PinBlock.day(certificate.expiresAt))", .dim), indent: 2, hanging: 7)
        page.line(Styled("issued by \(certificate.issuer)", .dim), indent: 5)
        page.unwrapped(Styled("public key   ", .dim) + Styled(certificate.keyPin.text), indent: 5)
        page.unwrapped(Styled("certificate  ", .dim) + Styled(certificate.certificatePin.text), indent: 5)
    }

    // MARK: JSON

    private func json(_ shown: [Shown]) -> String {
        let items = shown.map { one -> JSONValue in
            var item: JSONObject = [
                "host": .string(one.host.host), "port": .int(Int64(one.host.port)),
                "purposes": .array(one.host.purposes.map { .string($0) }),
            ]
            switch one.chain {
            case .failure(let failure): item["error"] = .string(failure.message)
            case .success(let chain): item["chain"] = .array(chain.map(Self.json))
            }
            return .object(item)
        }
        return JSONValue.array(items).serialize(pretty: true) + "\n"
    }

    private static func json(_ certificate: CertificateSummary) -> JSONValue {
        [
            "subject": .string(certificate.subject), "issuer": .string(certificate.issuer),
            "expires": .string(CalendarText.utc(certificate.expiresAt)),
            "public_key": .string(certificate.keyPin.text),
            "certificate": .string(certificate.certificatePin.text),
        ]
    }
}

/// A `tls` mapping that pins what hosts show: the key of each host, and those of its issuers in reserve.
struct PinBlock: Sendable {
    private let hosts: [(name: String, chain: [CertificateSummary])]

    init(_ shown: [(host: ProviderHosts.Row, chain: [CertificateSummary])]) {
        var hosts: [(name: String, chain: [CertificateSummary])] = []
        // Pins hold for a host's name, whatever the port.
        for (host, chain) in shown where !chain.isEmpty && !hosts.contains(where: { $0.name == host.host }) {
            hosts.append((host.host, chain))
        }
        self.hosts = hosts
    }

    var isEmpty: Bool { hosts.isEmpty }

    var yaml: String {
        var text = "tls:\n  strategy: chain\n  hosts:\n"
        for (name, chain) in hosts {
            text += "    \(Self.key(name)):\n      pins:\n"
            for certificate in Self.pinned(chain) {
                text += "        - \(certificate.keyPin.text)  # \(Self.comment(certificate))\n"
            }
        }
        return text
    }

    /// The host and who issued its certificate; of a chain of two the root is the issuer.
    private static func pinned(_ chain: [CertificateSummary]) -> ArraySlice<CertificateSummary> {
        chain.count > 2 ? chain.dropLast() : chain[...]
    }

    private static func comment(_ certificate: CertificateSummary) -> String {
        let name = certificate.subject.split(separator: ",").first ?? ""
        return "\(name), until \(day(certificate.expiresAt))"
    }

    /// As `2027-01-31`.
    static func day(_ time: Int64) -> String { String(CalendarText.utc(time).prefix(10)) }

    private static func key(_ host: String) -> String {
        let isPlain = host.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
        return isPlain ? host : "\"\(host)\""
    }
}
