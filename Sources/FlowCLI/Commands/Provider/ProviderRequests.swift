/// What `provider list` shows.
struct ProviderListRequest: Sendable, Hashable {
    /// Only providers in whose name or display name all of these are found.
    var words: [String] = []
    var form = Command.Form.text
}

struct DiscoverRequest: Sendable, Hashable {
    /// As typed: an issuer, the address of its metadata, a host, or a resource that takes its tokens.
    var issuer: String
    /// That takes tokens of the issuer.
    var resource: String?
    /// Of the descriptor; made of the host when it is not given.
    var name: String?
    /// Where the metadata is, when not at a well-known place.
    var metadataURL: String?
    /// Where to write a descriptor; `-` is standard output, `nil` writes none.
    var target: String?
    var live = LiveOptions()
    var form = Command.Form.text
}

struct ProviderTestRequest: Sendable {
    var provider: String
    var client = ClientOptions()
    /// Whether a token is asked for with the client's own credentials.
    var asksForToken = false
    var live = LiveOptions()
    var form = Command.Form.text
}

struct ProviderAddRequest: Sendable {
    var provider: String
    var client = ClientOptions()
    /// Where the secret is, for sources that no other command takes.
    var secretCommand: String?
    var secretKeyring: String?
    /// What the client shows in TLS, and the key of that.
    var certificateFile: String?
    var certificateKeyFile: String?
    /// Whether the client has no secret.
    var isPublic = false
    /// Whether another client's entry may go.
    var replaces = false
    /// Whether the user's file is written, whatever project this is.
    var isForUser = false
    var mayAsk = true
}

struct ProviderHostsRequest: Sendable {
    var provider: String
    var client = ClientOptions()
    var form = Command.Form.text
}

struct ProviderPinsRequest: Sendable {
    var provider: String
    var client = ClientOptions()
    var live = LiveOptions()
    var form = Command.Form.text
}
