internal import COpenSSL

/// What libcrypto reported when an operation failed.
///
/// Holds names of functions and reasons only, never key material.
package struct OpenSSLError: Error, Hashable {
    /// What we asked for, such as `AES-256-GCM seal`.
    package let operation: String
    /// The entries of this thread's error queue, oldest first; may be empty.
    package let reasons: [String]

    init(operation: String, reasons: [String]) {
        self.operation = operation
        self.reasons = reasons
    }

    /// Takes everything out of this thread's error queue.
    static func drain(_ operation: String) -> OpenSSLError {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            reasons.append(text(of: code))
        }
        return OpenSSLError(operation: operation, reasons: reasons)
    }

    /// Empties this thread's error queue, so that another user of the library does not find our refusal.
    static func forget() {
        ERR_clear_error()
    }

    private static func text(of code: UInt) -> String {
        // 256 bytes: the size ERR_error_string asks for.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            ERR_error_string_n(code, start, buffer.count)
            return String(cString: start)
        }
    }
}

extension OpenSSLError: CustomStringConvertible {
    package var description: String {
        reasons.isEmpty ? "\(operation) failed" : "\(operation) failed: \(reasons.joined(separator: "; "))"
    }
}
