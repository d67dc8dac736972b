#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Keeps sessions in the Keychain of this device; they leave it neither in backups nor through iCloud.
    ///
    /// **State of testing:** written from the documentation of Keychain services. It is type-checked against
    /// declarations written from that documentation, and has never been compiled by Xcode or run.
    ///
    /// The generation is an attribute of the item (`kSecAttrGeneric`). An update names the one it expects, so that the
    /// Keychain itself compares and swaps.
    public struct KeychainSessionStore: SessionStore {
        private let service: String
        private let accessGroup: String?

        /// - Parameters:
        ///   - service: Sets these items apart from others of the app, as `com.example.app.sessions`.
        ///   - accessGroup: Shares them with other apps of the same team; `nil` for the app's own group.
        public init(service: String, accessGroup: String? = nil) {
            self.service = service
            self.accessGroup = accessGroup
        }

        /// One item of the keychain.
        public func load(_ key: String) async throws(SessionStoreError) -> StoredBytes? {
            var query = item(key)
            query[kSecReturnData as String] = true
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.failure(status) }
            guard let attributes = found as? [String: Any],
                let data = attributes[kSecValueData as String] as? Data,
                let mark = attributes[kSecAttrGeneric as String] as? Data,
                let generation = Int64(String(decoding: mark, as: UTF8.self))
            else { throw .damaged(reason: "the item in the Keychain is none of ours") }
            return StoredBytes(generation: generation, bytes: Array(data))
        }

        /// Adds or updates the item; of two writers one has `conflict`.
        public func save(
            _ bytes: [UInt8], _ key: String, expecting: StoreExpectation
        ) async throws(SessionStoreError) -> Int64 {
            switch expecting {
            case .absent:
                guard let generation = try add(bytes, key) else { throw .conflict }
                return generation
            case .generation(let expected):
                guard let generation = try update(bytes, key, from: expected) else { throw .conflict }
                return generation
            case .any:
                while true {
                    if let current = try await load(key) {
                        if let generation = try update(bytes, key, from: current.generation) {
                            return generation
                        }
                    } else if let generation = try add(bytes, key) {
                        return generation
                    }
                }
            }
        }

        /// Removes the item.
        public func delete(_ key: String) async throws(SessionStoreError) {
            let status = SecItemDelete(item(key) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
        }

        /// - Returns: `nil` when there is an item already.
        private func add(_ bytes: [UInt8], _ key: String) throws(SessionStoreError) -> Int64? {
            // Later than any generation of an item that was deleted.
            let generation = WallClock.now()
            var attributes = item(key)
            attributes.merge(content(bytes, generation)) { $1 }
            let status = SecItemAdd(attributes as CFDictionary, nil)
            if status == errSecDuplicateItem { return nil }
            guard status == errSecSuccess else { throw Self.failure(status) }
            return generation
        }

        /// - Returns: `nil` when the item has another generation, or is gone.
        private func update(
            _ bytes: [UInt8], _ key: String, from expected: Int64
        ) throws(SessionStoreError) -> Int64? {
            let generation = max(expected + 1, WallClock.now())
            var query = item(key)
            query[kSecAttrGeneric as String] = Self.mark(expected)
            let status = SecItemUpdate(query as CFDictionary, content(bytes, generation) as CFDictionary)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw Self.failure(status) }
            return generation
        }

        private func item(_ key: String) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: key, kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }

        private func content(_ bytes: [UInt8], _ generation: Int64) -> [String: Any] {
            [
                kSecValueData as String: Data(bytes), kSecAttrGeneric as String: Self.mark(generation),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }

        private static func mark(_ generation: Int64) -> Data { Data(String(generation).utf8) }

        private static func failure(_ status: OSStatus) -> SessionStoreError {
            let words = SecCopyErrorMessageString(status, nil) as String?
            return .unavailable(reason: "the Keychain: \(words ?? "error \(status)")")
        }
    }
#endif
