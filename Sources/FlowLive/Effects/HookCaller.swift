internal import FlowEngine
internal import FlowLanguage
internal import JOSE
internal import OAuthProtocol

/// Asks a server in the place of a program: a signed POST of the same JSON (flow/1 §9).
///
/// `Flow-Signature: t=SECONDS,v1=HEX` is the HMAC-SHA256 of `SECONDS.BODY`, so that the receiver can
/// tell the call from a forged or a repeated one. Redirects are not followed.
struct HookCaller: Sendable {
    let transport: CurlTransport
    let configuration: LiveConfiguration

    func call(_ endpoint: HookEndpoint, _ call: HookCall, now: Int64) async -> HookReply {
        guard let key = configuration.environment[endpoint.keyVariable], !key.isEmpty else {
            return .failed("the environment variable \(endpoint.keyVariable) with its key is not set")
        }
        let body = Array(HookWire.encode(call).utf8)
        guard body.count <= HookWire.limit else { return .failed(HookWire.tooMuch) }
        let signature = Self.signature(of: body, key: key, seconds: now / 1000)
        let own = [
            HTTPField("Content-Type", "application/json"), HTTPField("Accept", "application/json"),
            HTTPField("Flow-Run", call.runID), HTTPField("Flow-Trigger", call.point.rawValue),
            HTTPField("Flow-Attempt", String(call.tries)), HTTPField("Flow-Signature", signature),
        ]
        var secrets = [Secret(key, kind: .other)]
        var credentials: [HTTPField] = []
        if let variable = endpoint.tokenVariable {
            guard let token = configuration.environment[variable], !token.isEmpty else {
                return .failed("the environment variable \(variable) with its token is not set")
            }
            secrets.append(Secret(token, kind: .other))
            credentials.append(HTTPField("Authorization", "Bearer \(token)"))
        }
        let written = endpoint.headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
        let fields = written.filter { field in
            !(own + credentials).contains { $0.name.equalsIgnoringASCIICase(field.name) }
        }
        let request = HTTPRequest(
            method: .post, url: endpoint.url, fields: own + credentials + fields, body: body)
        let limits = TransferLimits(
            timeoutMilliseconds: Int(call.timeout), connectTimeoutMilliseconds: max(1, Int(call.timeout) / 3),
            maxBodyBytes: HookWire.limit)
        switch await transport.send(request, limits) {
        case .success(let response):
            var reply = Self.read(response, hiding: secrets)
            reply.status = response.status
            return reply
        case .failure(let failure):
            return switch failure.kind {
            case .timeout(.response): .failed("it took longer than \(call.timeout) ms")
            case .tls(let reason): .failed("\(reason.meaning): \(failure.message)")
            default: .failed(failure.message)
            }
        }
    }

    /// - Parameter secrets: A server that repeats what it was called with says nothing that a run needs.
    private static func read(_ response: HTTPResponse, hiding secrets: [Secret]) -> HookReply {
        switch response.status {
        case 200...299:
            let text = String(validating: response.body, as: UTF8.self)
            return HookWire.read(
                text.map { Array(SecretIndex(secrets).replaced(in: $0).utf8) } ?? response.body)
        case 300...399:
            return .failed("it answered with status \(response.status), and redirects are not followed")
        default: return .failed("it answered with status \(response.status)")
        }
    }

    private static func signature(of body: [UInt8], key: String, seconds: Int64) -> String {
        let code = HMAC.sha256(key: Array(key.utf8), message: Array("\(seconds).".utf8) + body)
        let digits = Array("0123456789abcdef")
        let text = String(code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        return "t=\(seconds),v1=\(text)"
    }
}
