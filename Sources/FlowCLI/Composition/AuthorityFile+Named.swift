internal import FlowLive

/// As `--cacert` and `SSL_CERT_FILE` name one.
extension AuthorityFile {
    /// The file that says whom to trust, and what names it: `--cacert`, or else the variable that is not empty.
    ///
    /// - Parameter option: The value of `--cacert`.
    static func named(_ option: String?, _ surroundings: Surroundings) -> (file: String, source: String)? {
        if let option { return (option, "--cacert") }
        guard let file = surroundings.variable("SSL_CERT_FILE"), !file.isEmpty else { return nil }
        return (file, "SSL_CERT_FILE")
    }

    /// Why nothing can be trusted by the file; `nil` where something in it looks like a certificate.
    ///
    /// - Parameter name: The file as it was written.
    static func problem(_ name: String, in folder: String) -> String? {
        do throws(FileProblem) {
            let text = String(
                decoding: try FileAccess.read(FilePath.join(folder, name), limit: 16 << 20), as: UTF8.self)
            return holdsCertificate(text) ? nil : "\(name) holds no certificate in PEM"
        } catch {
            return "the certificate authorities cannot be read: \(error)"
        }
    }
}
