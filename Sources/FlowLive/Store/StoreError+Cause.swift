internal import FlowEngine

extension StoreError {
    /// What `FailureTexts` has a text of its own for; `nil` for what is no failure of the store.
    var cause: String? {
        switch self {
        case .diskFull: "store_full"
        case .readOnly: "store_read_only"
        case .permission: "store_denied"
        case .unavailable: "store_unavailable"
        case .damaged: "store_damaged"
        case .busy, .inUse: "store_busy"
        case .locked: "store_key"
        case .wrongPassphrase: FailureCode.wrongPassphrase
        case .newerSchema: "store_newer"
        case .corrupt, .conflict: nil
        }
    }
}
