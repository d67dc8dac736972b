internal import JOSE
public import OAuthProtocol

/// Where the key of a session store is kept or made of.
public struct StoreProtection: Sendable {
    /// `nil` for the first that works: a passphrase where one is configured, the keyring, a file.
    public var method: SealingMethod?
    /// The passphrase that is configured, read only where one is needed; `nil` where none is.
    ///
    /// Answers `nil` when it cannot be read.
    public var passphrase: (@Sendable () -> Secret?)?
    /// Asks a person for it, where the store has one or is to have one.
    public var asks: (@Sendable () -> Secret?)?
    /// What somebody can do where a passphrase is needed and there is none.
    package var passphraseFix = "set FLOWRUN_STORE_PASSPHRASE_FILE, or FLOWRUN_STORE_PASSPHRASE_COMMAND"
    /// Whether the desktop's keyring may be asked when nothing is said.
    public var mayUseKeyring: Bool
    /// Told when the keyring takes long: it may wait for a person to unlock it, without an end.
    package var onSlowKeyring: (@Sendable () -> Void)?

    /// The first key that works, where nothing is given.
    public init(
        method: SealingMethod? = nil, passphrase: (@Sendable () -> Secret?)? = nil,
        mayUseKeyring: Bool = false
    ) {
        self.method = method
        self.passphrase = passphrase
        self.mayUseKeyring = mayUseKeyring
    }
}

/// The key of a store, and how it came about.
struct StoreKey {
    let seal: StoreSeal
    let key: SealingKey
    /// Why what would have come before it was not taken.
    var skipped: [String] = []
}

extension StoreProtection {
    /// The key of a store that is there.
    ///
    /// - Throws: `locked` when it cannot be had.
    func key(of seal: StoreSeal, _ folder: String) throws(StoreError) -> SealingKey {
        if let method, method != seal.method {
            throw .locked(
                reason: "its key is from \(seal.method.words), not from \(method.words)",
                fix: "leave --store out, or change the store: flowrun store seal \(method.rawValue)")
        }
        switch seal {
        case .file:
            guard let key = try KeyFile.load(folder + "/key") else {
                throw .locked(
                    reason: "its key file \(folder)/key is gone",
                    fix:
                        "put the file back; without it nobody can open the sessions: sign in again after flowrun store reset --yes"
                )
            }
            return key
        case .keyring(let entry): return try kept(entry)
        case .passphrase(let salt, let cost):
            guard let passphrase = passphrase ?? asks else {
                throw .locked(
                    reason: "a passphrase is needed and none is configured", fix: passphraseFix)
            }
            return try derived(passphrase, salt, cost)
        }
    }

    /// The key of a store that is being made, proved to work before anybody is asked for anything.
    func newKey(_ folder: String) throws(StoreError) -> StoreKey {
        if let method { return try newKey(method, folder) }
        if passphrase != nil { return try newKey(.passphrase, folder) }
        var skipped = ["passphrase: none is configured"]
        if mayUseKeyring {
            do throws(StoreError) {
                return try newKey(.keyring, folder)
            } catch {
                skipped.append("keyring: \(error.reason)")
            }
        } else {
            skipped.append("keyring: not used here")
        }
        var key = try newKey(.file, folder)
        key.skipped = skipped
        return key
    }

    private func newKey(_ method: SealingMethod, _ folder: String) throws(StoreError) -> StoreKey {
        let seal = try StoreSeal.make(method)
        switch seal {
        case .file: return StoreKey(seal: seal, key: try KeyFile.loadOrCreate(folder + "/key"))
        case .keyring(let entry): return StoreKey(seal: seal, key: try keep(entry, folder))
        case .passphrase: return StoreKey(seal: seal, key: try key(of: seal, folder))
        }
    }

    private func derived(
        _ ask: @Sendable () -> Secret?, _ salt: [UInt8], _ cost: PasswordKey.Cost
    ) throws(StoreError) -> SealingKey {
        guard let passphrase = ask(), !passphrase.reveal().isEmpty else {
            throw .locked(reason: "no passphrase was given", fix: passphraseFix)
        }
        do {
            let bytes = try PasswordKey.derive(
                from: Array(passphrase.reveal().utf8), salt: salt, cost: cost, length: AEAD.keyLength)
            if let key = SealingKey(bytes) { return key }
        } catch {
            throw .corrupt(reason: "the store's key cannot be made: \(error)")
        }
        throw .corrupt(reason: "the store's key cannot be made")
    }

    // MARK: Keyring

    private func kept(_ entry: String) throws(StoreError) -> SealingKey {
        let secret: Secret?
        do throws(KeyringError) {
            secret = try asking { () throws(KeyringError) in try Keyring.lookUp(entry, kind: .other) }
        } catch {
            throw .locked(
                reason: "its key is in the keyring, which cannot be asked: \(error.words)",
                fix: "unlock the desktop's keyring, or run flowrun where it is")
        }
        guard let secret, let bytes = Base64URL.decode(secret.reveal()), let key = SealingKey(bytes) else {
            throw .locked(
                reason: "its key is no longer in the keyring (entry \"\(entry)\")",
                fix: "put the entry back, or sign in again after flowrun store reset --yes")
        }
        return key
    }

    /// Makes a key, and believes the keyring only what it gives back.
    private func keep(_ entry: String, _ folder: String) throws(StoreError) -> SealingKey {
        do throws(KeyringError) {
            let secret = Secret(Base64URL.encode(try Self.randomKey()), kind: .other)
            try asking { () throws(KeyringError) in
                try Keyring.keep(secret, as: entry, label: "flowrun sessions in \(folder)")
            }
        } catch {
            throw .locked(reason: error.words, fix: "unlock the desktop's keyring, or take a key file (file)")
        }
        return try kept(entry)
    }

    private func asking<Answer>(
        _ question: () throws(KeyringError) -> Answer
    ) throws(KeyringError) -> Answer {
        guard let onSlowKeyring else { return try question() }
        return try SlowWork.runAndWait(tellingAfter: Keyring.patience, onSlowKeyring, question)
    }

    private static func randomKey() throws(KeyringError) -> [UInt8] {
        do {
            return try SecureRandom.bytes(AEAD.keyLength)
        } catch {
            throw .unavailable(reason: "no random bytes")
        }
    }
}

extension SealingMethod {
    package var words: String {
        switch self {
        case .keyring: "the keyring"
        case .passphrase: "a passphrase"
        case .file: "a key file"
        }
    }
}

extension KeyringError {
    var words: String {
        switch self {
        case .noLibrary(let reason), .unavailable(let reason): reason
        }
    }
}

extension StoreError {
    /// The reason alone, where the place is plain.
    fileprivate var reason: String {
        switch self {
        case .unavailable(_, let reason), .permission(_, let reason), .readOnly(_, let reason),
            .corrupt(let reason), .damaged(_, let reason), .locked(let reason, _):
            reason
        case .conflict, .diskFull, .busy, .inUse, .wrongPassphrase, .newerSchema: words
        }
    }
}
