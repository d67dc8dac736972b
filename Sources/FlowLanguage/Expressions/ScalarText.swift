// Texts as Unicode scalars and back, each by one allocation. The places of an expression count scalars.

extension Array<Unicode.Scalar> {
    init(scalarsOf text: String) {
        self.init()
        reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { append(scalar) }
    }
}

extension String {
    init(scalars: ArraySlice<Unicode.Scalar>) {
        let size = scalars.reduce(0) { $0 + UTF8.width($1) }
        self.init(unsafeUninitializedCapacity: size) { buffer in
            var end = 0
            for scalar in scalars {
                for byte in UTF8.encode(scalar) ?? .init() {
                    buffer[end] = byte
                    end += 1
                }
            }
            return end
        }
    }
}
