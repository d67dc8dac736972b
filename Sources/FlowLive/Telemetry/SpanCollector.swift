internal import OAuthProtocol

/// A collector of OpenTelemetry spans, as the environment names it (OTLP 1.3, OTLP/HTTP; the variables are those of the
/// OpenTelemetry specification, "OTLP Exporter Configuration").
package struct SpanCollector: Sendable {
    /// Why spans did not reach it.
    package struct Failure: Error, Sendable, Hashable {
        package let message: String
    }

    /// Never shown: somebody may have put a password into it.
    private let url: String
    private let fields: [HTTPField]
    private let timeout: Int
    private let environment: [String: String]

    /// - Returns: `nil` where the environment names none.
    package init?(environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard variable("OTEL_SDK_DISABLED")?.lowercased() != "true" else { return nil }
        func either(_ name: String) -> String? {
            variable("OTEL_EXPORTER_OTLP_TRACES_\(name)") ?? variable("OTEL_EXPORTER_OTLP_\(name)")
        }
        if let own = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            url = own
        } else if let base = variable("OTEL_EXPORTER_OTLP_ENDPOINT") {
            url = base + (base.hasSuffix("/") ? "" : "/") + "v1/traces"
        } else {
            return nil
        }
        fields = (either("HEADERS") ?? "").split(separator: ",").compactMap(Self.field)
        timeout = either("TIMEOUT").flatMap { Int($0) } ?? 10_000
        self.environment = environment
    }

    /// Reads `name=value`, the value percent-encoded.
    private static func field(_ text: Substring) -> HTTPField? {
        guard let equals = text.firstIndex(of: "="),
            let value = PercentEncoding.decodeQuery(text[text.index(after: equals)...])
        else { return nil }
        let name = text[..<equals].filter { $0 != " " }
        return name.isEmpty ? nil : HTTPField(name, value)
    }

    /// Sends spans, once; a collector that cannot take them loses them.
    ///
    /// Without TLS only to a collector on this machine: what the environment has sent along may be a key.
    ///
    /// - Parameter json: An `ExportTraceServiceRequest` in the JSON encoding of OTLP.
    package func send(_ json: String) async throws(Failure) {
        if let problem = EndpointURL.check(url, allowLoopbackHTTP: true) {
            throw Failure(message: "its address \(problem.rawValue)")
        }
        let loop: CurlLoop
        do throws(CurlUnavailable) {
            loop = try CurlLoop(ProxyVariables.configuration(environment))
        } catch {
            throw Failure(message: error.description)
        }
        defer { loop.shutDown() }
        let request = HTTPRequest(
            method: .post, url: url, fields: [HTTPField("Content-Type", "application/json")] + fields,
            body: Array(json.utf8))
        let limits = TransferLimits(
            timeoutMilliseconds: max(1, timeout), connectTimeoutMilliseconds: max(1, timeout / 3))
        switch await CurlTransport(loop: loop).send(request, limits) {
        case .success(let response):
            guard (200..<300).contains(response.status) else {
                throw Failure(message: "it answered with status \(response.status)")
            }
        case .failure(let failure): throw Failure(message: failure.message)
        }
    }
}
