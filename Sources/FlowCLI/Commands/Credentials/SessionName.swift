/// A provider and a profile as one name that no other two have: of a file, or of an entry of another program.
enum SessionName {
    /// `acme` for the profile that needs no name, else `acme.work`: no provider's name has a dot.
    static func text(_ provider: String, _ profile: String) -> String {
        profile == "default" ? provider : "\(provider).\(encoded(profile))"
    }

    /// Letters, digits and hyphens stay; every other byte becomes an underscore and its two digits.
    private static func encoded(_ profile: String) -> String {
        profile.utf8.reduce(into: "") { name, byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                || byte == UInt8(ascii: "-")
            if isPlain {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                name += "_" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }
}
