import Glibc
internal import FlowEngine

extension StoreError {
    /// What `FailureTexts` has a text of its own for; `nil` for what is no failure of the store.
    var cause: String? {
        switch self {
        case .diskFull: "store_full"
        case .permission(_, let reason): Self.isReadOnly(reason) ? "store_read_only" : "store_denied"
        case .unavailable: "store_unavailable"
        case .damaged: "store_damaged"
        case .busy, .inUse: "store_busy"
        case .locked: "store_key"
        case .wrongPassphrase: FailureCode.wrongPassphrase
        case .newerSchema: "store_newer"
        case .corrupt, .conflict: nil
        }
    }

    /// Whether nobody could write there, whoever owns it.
    private static func isReadOnly(_ reason: String) -> Bool {
        [SystemError.text(EROFS), onlyRead].contains { reason.contains($0) }
    }

    /// What the database says of itself where nothing can be written.
    static let onlyRead = "it can only be read here"
}
