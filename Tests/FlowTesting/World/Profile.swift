package import FlowLanguage
package import JOSE

extension BoundDescriptor {
    /// The profile alone, without the members that could not be read.
    package func profile(
        claims: JSONObject?, userinfo: JSONObject?, token: JSONObject?,
        callback: JSONObject? = nil, additional: [String: JSONValue] = [:], clientID: String = ""
    ) -> JSONObject {
        var unread: [UnreadClaim] = []
        return profile(
            claims: claims, userinfo: userinfo, token: token, callback: callback, additional: additional,
            clientID: clientID, unread: &unread)
    }
}
