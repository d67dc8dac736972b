internal import YAMLText

// Texts as Unicode scalars and back, each by one allocation. The places of an expression count scalars.

extension Array<Unicode.Scalar> {
    init(scalarsOf text: String) {
        // Nearly every text is ASCII, in which a byte is a scalar.
        let ascii = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.scalarCount == bytes.count ? bytes.map { Unicode.Scalar($0) } : nil
        }
        if let ascii = ascii ?? nil {
            self = ascii
        } else {
            self.init()
            reserveCapacity(text.utf8.count)
            for scalar in text.unicodeScalars { append(scalar) }
        }
    }
}

extension String {
    init(scalars: ArraySlice<Unicode.Scalar>) {
        let size = scalars.reduce(0) { $0 + ($1.isASCII ? 1 : UTF8.width($1)) }
        self.init(unsafeUninitializedCapacity: size) { buffer in
            var end = 0
            for scalar in scalars {
                guard !scalar.isASCII else {
                    buffer[end] = UInt8(truncatingIfNeeded: scalar.value)
                    end += 1
                    continue
                }
                for byte in UTF8.encode(scalar) ?? .init() {
                    buffer[end] = byte
                    end += 1
                }
            }
            return end
        }
    }
}
