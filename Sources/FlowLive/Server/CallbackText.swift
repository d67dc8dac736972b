internal import OAuthProtocol

/// The address that a browser ended at, as text from anywhere.
package enum CallbackText {
    /// The parameter `state` of its query or fragment, which says whose answer it is; `nil` without one.
    package static func state(in address: String) -> String? {
        let text = address.contains("?") ? address.drop { $0 != "?" }.dropFirst() : address[...]
        for part in text.split(separator: "#") {
            let states = QueryItems.received(String(part)).filter { $0.name == "state" }
            if states.count == 1 { return states[0].value }
        }
        return nil
    }
}
