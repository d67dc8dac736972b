internal import YAMLText

/// The form of the names that a flow gives to its own things (flow/1 §3).
enum FlowName {
    /// `[a-z][a-z0-9_]{0,62}`; a flow's and a hook's own id may have `-` besides.
    static func isID(_ name: String, also extra: UInt8? = nil) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = name.utf8.first, letters.contains(first), name.utf8.count <= 63 else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            letters.contains(byte) || digits.contains(byte) || byte == UInt8(ascii: "_") || byte == extra
        }
    }

    static let hyphen = UInt8(ascii: "-")
}
