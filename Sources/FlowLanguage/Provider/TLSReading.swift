internal import OAuthProtocol
internal import YAMLText

/// Reads `tls`: certificate pins and the least version.
extension DescriptorReader {
    static let tlsKeys = ["min_version", "warn_days", "pin_all", "strategy", "failure", "pins", "hosts"]
    static let hostPinKeys = ["strategy", "failure", "pins"]
    static let pinKeys = ["pin", "expires"]

    mutating func tls() -> TLSFacts? {
        guard let tls = root.mapping("tls", keys: Self.tlsKeys, &diagnostics) else { return nil }
        var policy = TLSPolicy()
        policy.minimumVersion =
            tls.word("min_version", as: TLSPolicy.Version.self, &diagnostics) ?? policy.minimumVersion
        policy.warningDays = tls.int("warn_days", in: 0...3_650, &diagnostics) ?? policy.warningDays
        policy.pinsAll = tls.bool("pin_all", &diagnostics) ?? false
        let standard = TLSPolicy.PinSet(
            strategy: tls.word("strategy", as: TLSPolicy.Strategy.self, &diagnostics) ?? .publicKey,
            failure: tls.word("failure", as: TLSPolicy.FailureMode.self, &diagnostics) ?? .hard, pins: [])
        var dated: [TLSFacts.DatedPin] = []
        policy.pins = pinSet(tls, standard, &dated)
        for entry in tls.names("hosts", &diagnostics) {
            guard let name = hostName(entry),
                let host = MappingReader(
                    entry.value, .named("host", entry.key), keys: Self.hostPinKeys, file: root.file,
                    &diagnostics)
            else { continue }
            host.require("pins", diagnostics: &diagnostics)
            if let pins = pinSet(host, standard, &dated) {
                policy.hosts.append(.init(name: name, pins: pins))
            }
        }
        if policy.pinsAll, !tls.has("pins"), !tls.has("hosts") {
            tls.require("hosts", diagnostics: &diagnostics)
        }
        return TLSFacts(policy: policy, datedPins: dated)
    }

    private mutating func pinSet(
        _ mapping: MappingReader, _ standard: TLSPolicy.PinSet, _ dated: inout [TLSFacts.DatedPin]
    ) -> TLSPolicy.PinSet? {
        guard let nodes = mapping.sequence("pins", &diagnostics), let list = mapping["pins"] else {
            return nil
        }
        var set = standard
        if mapping.has("strategy"), let own = word("strategy", TLSPolicy.Strategy.self, mapping) {
            set.strategy = own
        }
        if mapping.has("failure"), let own = word("failure", TLSPolicy.FailureMode.self, mapping) {
            set.failure = own
        }
        if nodes.isEmpty {
            mapping.wrong(
                "pins", list, "a list with a pin", hint: "leave the key out to pin nothing", &diagnostics)
        }
        set.pins = nodes.compactMap { pin($0, &dated) }
        if nodes.count == 1, Set(set.pins.map(\.digest)).count == 1 { warnOfSinglePin(list) }
        return set
    }

    /// One of the words, which for the standard of all hosts has been read, and reported, once already.
    private mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ type: Word.Type, _ mapping: MappingReader
    ) -> Word? {
        guard mapping.span != root["tls"]?.span else { return nil }
        return mapping.word(key, as: type, &diagnostics)
    }

    private mutating func warnOfSinglePin(_ list: YAMLNode) {
        diagnostics.append(
            Diagnostic(
                code: "FL097", severity: .warning, file: root.file, span: list.span,
                message: "one pin without a backup: a new key of the host ends every sign-in",
                hint: "pin a second key that is kept offline, or the issuing authority with strategy: chain"))
    }

    /// A text, or `{pin: TEXT, expires: DAY}`.
    private mutating func pin(_ node: YAMLNode, _ dated: inout [TLSFacts.DatedPin]) -> CertificatePin? {
        guard node.mapping != nil else { return pin(node, expiresAt: nil) }
        guard let entry = MappingReader(node, "a pin", keys: Self.pinKeys, file: root.file, &diagnostics)
        else { return nil }
        entry.require("pin", diagnostics: &diagnostics)
        let day = lastDay(entry)
        guard let text = entry["pin"], let pin = pin(text, expiresAt: day?.end) else { return nil }
        if let day, let place = entry["expires"] {
            let file = layers.layers[place.span.start.fileNumber].file.path
            dated.append(.init(pin: pin, day: day.text, file: file, span: place.span))
        }
        return pin
    }

    private mutating func pin(_ node: YAMLNode, expiresAt: Int64?) -> CertificatePin? {
        let text = node.scalar?.text ?? ""
        do throws(CertificatePin.Problem) {
            return try CertificatePin(text, expiresAt: expiresAt)
        } catch {
            switch error {
            case .hexadecimal(let meant):
                report(
                    "FL016", node, "a pin is written in Base64, not in hexadecimal digits",
                    hint: "if that is what it stands for: \(meant)")
            case .prefix:
                report("FL016", node, "a pin begins with sha256/, unlike \(node.shape)", hint: Self.pinHint)
            case .digest:
                report(
                    "FL016", node, "after sha256/ comes the Base64 of 32 bytes, unlike \(node.shape)",
                    hint: Self.pinHint)
            }
            return nil
        }
    }

    private static let pinHint = "flowrun provider pins NAME prints the pins of a provider's hosts"

    /// The pin holds to the end of that day in UTC.
    private mutating func lastDay(_ entry: MappingReader) -> (text: String, end: Int64)? {
        guard let node = entry["expires"] else { return nil }
        let text = node.scalar?.text ?? ""
        guard text.utf8.count == 10, let start = CalendarDate.rfc3339(text + "T00:00:00Z") else {
            entry.wrong("expires", node, "a day such as 2027-01-31", &diagnostics)
            return nil
        }
        return (text, start + 86_400_000)
    }

    /// As a connection is asked for: in lower case, without brackets.
    private mutating func hostName(_ entry: YAMLMapping.Entry) -> String? {
        let plain = entry.key.hasPrefix("*.") ? String(entry.key.dropFirst(2)) : entry.key
        let url = try? EndpointURL("https://\(plain)")
        guard let url, url.host == plain, !plain.hasSuffix(".") else {
            report(
                "FL016", entry.keySpan, "\"\(entry.key)\" is no host",
                hint: "a name in lower case without scheme, port or path, or *. and such a name")
            return nil
        }
        return entry.key.hasPrefix("[") ? String(entry.key.dropFirst().dropLast()) : entry.key
    }
}

/// Endpoints for clients with a certificate.
extension DescriptorReader {
    /// `mtls_endpoint_aliases` (RFC 8705 §5).
    mutating func endpointAliases() -> [(name: String, text: DescriptorText)] {
        let aliases = root.mapping(
            "mtls_endpoint_aliases", keys: ServerMetadataFields.aliasNames, &diagnostics)
        return (aliases?.entries ?? []).compactMap { entry in
            endpoint(entry.value).map { (entry.key, $0) }
        }
    }
}
