/// Which hosts are reached through the proxy.
///
/// Decided here and not by libcurl, because an address may only be judged where the connection leads to the host
/// itself. A host is named by the variable `no_proxy` as curl reads that: names with everything below them, addresses,
/// networks in CIDR form, or `*`.
struct ProxyRule: Sendable, Hashable {
    /// As libcurl takes it, credentials included: never to be shown.
    let proxy: String
    private let exceptsAll: Bool
    private let exceptedNames: [String]
    private let exceptedNetworks: [Network]

    private struct Network: Sendable, Hashable {
        let bytes: [UInt8]
        let bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            return (0..<bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                return address[bit / 8] & mask == bytes[bit / 8] & mask
            }
        }
    }

    /// - Returns: `nil` without a proxy.
    init?(_ configuration: TransportConfiguration) {
        guard let proxy = configuration.proxy, !proxy.isEmpty else { return nil }
        self.proxy = proxy
        let entries = (configuration.noProxy ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
        exceptsAll = entries.contains("*")
        exceptedNetworks = entries.compactMap(Self.network)
        exceptedNames = entries.map { String($0.drop { $0 == "." }) }.filter { !$0.isEmpty }
    }

    /// - Parameter host: Without brackets.
    func covers(_ host: Substring) -> Bool {
        if exceptsAll { return false }
        if exceptedNames.isEmpty { return true }
        let host = host.lowercased()
        if let address = SocketAddress.bytes(host) {
            return !exceptedNetworks.contains { $0.contains(address) }
        }
        return !exceptedNames.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    private static func network(_ text: String) -> Network? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let host = parts[0].hasPrefix("[") ? parts[0].dropFirst().prefix { $0 != "]" } : parts[0]
        guard parts.count <= 2, let bytes = SocketAddress.bytes(String(host)) else { return nil }
        guard parts.count == 2 else { return Network(bytes: bytes, bits: bytes.count * 8) }
        guard let bits = Int(parts[1]), (0...bytes.count * 8).contains(bits) else { return nil }
        return Network(bytes: bytes, bits: bits)
    }

    /// A message of libcurl without the proxy's credentials, which some of them repeat.
    func cleaned(_ message: String) -> String {
        let start = proxy.firstRange(of: "://")?.upperBound ?? proxy.startIndex
        guard let end = proxy[start...].lastIndex(of: "@"), start < end else { return message }
        return message.replacing(proxy[start..<end], with: "…")
    }
}
