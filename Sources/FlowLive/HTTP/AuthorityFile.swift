import Glibc

/// A file of certificate authorities, the only ones to trust.
package enum AuthorityFile {
    private static let labels = ["CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE"]
    /// Far more than all authorities of a system.
    private static let limit = 16 << 20
    private static let chunkSize = 64 << 10

    /// Whether something in a text looks like a certificate in PEM.
    package static func holdsCertificate(_ text: String) -> Bool {
        labels.contains { text.contains("-----BEGIN \($0)-----") }
    }

    /// Why nobody can be trusted by it; `nil` where something in it looks like a certificate.
    static func problem(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return "\(path): \(SystemError.text(errno))" }
        defer { fclose(file) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while text.count < limit {
            let count = fread(&chunk, 1, chunkSize, file)
            guard count > 0 else { break }
            text += chunk.prefix(count)
        }
        // A folder can be opened, and not read.
        if ferror(file) != 0 { return "\(path): \(SystemError.text(errno))" }
        return holdsCertificate(String(decoding: text, as: UTF8.self))
            ? nil : "\(path) holds no certificate in PEM"
    }
}
