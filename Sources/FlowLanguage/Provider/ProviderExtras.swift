package import OAuthProtocol

/// What a descriptor says beyond the protocol: places and values that flows may name.
package struct ProviderExtras: Sendable {
    /// Further endpoints, which a flow reads as `provider.endpoints.NAME`.
    package var endpoints: [(name: String, url: DescriptorText)] = []
    /// Origins, beyond those of the endpoints, that `http` steps may call.
    package var origins: [DescriptorText] = []
    /// URLs of APIs that take this provider's access tokens.
    package var resources: [DescriptorText] = []
    /// Where an application may send the browser after a sign-in, and after a logout.
    package var allowedRedirects: [DescriptorText] = []
    package var postLogoutRedirects: [DescriptorText] = []
    /// Whether the provider's word on an e-mail address is taken for granted.
    package var isTrusted = false
    /// Further texts, which a flow reads as `provider.NAME`.
    package var values: [(name: String, text: DescriptorText)] = []
    package var apiKey: APIKeyFacts?
    /// Header fields and query parameters that hooks may add to requests, beyond those that all may have.
    package var hookHeaders: [String] = []
    package var hookQuery: [String] = []

    package init() {}
}

/// How a provider takes the key of `auth: api_key`.
package struct APIKeyFacts: Sendable {
    package let placement: TokenPlacement
    package let value: DescriptorText

    package init(placement: TokenPlacement, value: DescriptorText) {
        self.placement = placement
        self.value = value
    }
}

/// The evaluated form of `ProviderExtras`.
package struct BoundExtras: Sendable {
    /// By name.
    package let endpoints: [String: String]
    package let resources: [String]
    package let allowedRedirects: [String]
    package let postLogoutRedirects: [String]
    package let isTrusted: Bool
    /// By name.
    package let values: [String: String]
    package let apiKey: (placement: TokenPlacement, value: Secret)?
    /// Scheme, host and port of everything that is named here, without repetition.
    package let origins: [String]
}

extension BoundDescriptor {
    package func extras() -> BoundExtras {
        let extras = descriptor.extras
        func texts(_ texts: [DescriptorText]) -> [String] { texts.compactMap { text($0) } }
        func named(_ pairs: [(name: String, text: DescriptorText)]) -> [String: String] {
            Dictionary(
                pairs.compactMap { pair in text(pair.text).map { (pair.name, $0) } },
                uniquingKeysWith: { $1 })
        }
        let endpoints = named(extras.endpoints.map { (name: $0.name, text: $0.url) })
        let resources = texts(extras.resources)
        var origins: [String] = []
        let places = extras.endpoints.map(\.url) + extras.resources + extras.origins
        for url in texts(places) {
            // What is no URL was refused when the descriptor was bound.
            guard let origin = try? EndpointURL(url, allowLoopbackHTTP: true).origin,
                !origins.contains(origin)
            else { continue }
            origins.append(origin)
        }
        return BoundExtras(
            endpoints: endpoints, resources: resources, allowedRedirects: texts(extras.allowedRedirects),
            postLogoutRedirects: texts(extras.postLogoutRedirects), isTrusted: extras.isTrusted,
            values: named(extras.values),
            apiKey: extras.apiKey.flatMap { facts in
                text(facts.value).map { (facts.placement, Secret($0, kind: .other)) }
            }, origins: origins)
    }
}
