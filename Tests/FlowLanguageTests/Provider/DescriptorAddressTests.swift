import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Addresses of descriptors")
struct DescriptorAddressTests {
    @Test(
        "a host that variables or the text itself fix needs no list",
        arguments: [
            ("https://a.example/${callback.x}", true), ("https://${vars.shop}.a.example/${callback.x}", true),
            ("${vars.api}/me/${token.id}", true), ("https://${callback.x}", false),
            ("https://a.${callback.x}.example/", false), ("${callback.server}/token", false),
            ("https://${vars.shop}${callback.x}/", false), ("https://a.example", true),
            ("https://${ vars.shop}/${callback.x}", true), ("https:///${callback.x}", false),
            ("${vars.api}${vars.more}/${callback.x}", true), ("https://${vars.shop", false),
        ])
    func fixedHosts(text: String, isFixed: Bool) {
        #expect((DescriptorSafety.start(ofEndpoint: text) != nil) == isFixed)
    }

    @Test(
        "values of answers are encoded where they stand in an address, unless it begins with them",
        arguments: [
            ("https://a.example/${callback.x}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/?x=${callback.x}", "https://a.example/?x=..%2Fb%3Fc"),
            ("https://a.example/${urlencode(string(callback.x) ?? '')}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/${callback.none ?? callback.x}", "https://a.example/..%2Fb%3Fc"),
            ("https://a.example/${if(has(callback.none), 'n/n', 'a/b')}", "https://a.example/a/b"),
            ("https://a.example/${callback.none ?? vars.v}", "https://a.example/v/w"),
            ("https://a.example/${vars.v}", "https://a.example/v/w"),
            ("https://a.example/${token.n}", "https://a.example/7"),
            ("https://a.example/${token.access_token}", "https://a.example/t%2F%2B"),
            ("${token.url}", "https://b.example/c?d=1"),
            ("${token.url}&e=${callback.x}", "https://b.example/c?d=1&e=..%2Fb%3Fc"),
            ("${vars.base}/${callback.x}", "https://c.example/..%2Fb%3Fc"),
            ("https://${token.host}/f", "https://d.example:8443/f"),
            ("https://${callback.x}/f", "https://..%2Fb%3Fc/f"),
            ("https://a.example/${callback.none}", nil),
        ])
    func valuesInAddresses(template: String, address: String?) throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {v: {default: v/w}, base: {default: "https://c.example"}}
            callback: {capture: {x: {optional: true}, none: {optional: true}}}
            userinfo: {endpoint: "\(template)", allowed_hosts: ["*.example"]}

            """)
        #expect(report == [])
        let bound = try #require(descriptor).bind(variables: [:])
        var inputs = DescriptorInputs().with(.callback, ["x": "../b?c"])
        inputs = inputs.with(.token, ["n": 7, "url": "https://b.example/c?d=1", "host": "d.example:8443"])
        inputs[.accessToken] = .string("t/+")
        let endpoint = try #require(bound.descriptor.userinfo.operation.request.endpoint)
        #expect(bound.text(endpoint, inputs) == address)
    }

    @Test(
        "where answers fill in nothing but path and query, it is known where an address leads",
        arguments: [
            ("https://a.example/${callback.x}", "https://a.example"),
            ("https://${vars.shop}.example?x=${token.x}", "https://s.example"),
            ("${vars.base}/me/${token.x}", "https://c.example"),
        ])
    func knownDestinations(template: String, origin: String) throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            variables: {shop: {default: s}, base: {default: "https://c.example/v1"}}
            callback: {capture: {x: {optional: true}}}
            userinfo: {endpoint: "\(template)"}

            """)
        #expect(report == [])
        let destinations = try #require(descriptor).bind(variables: [:]).destinations()
        #expect(destinations.contains(origin))
        #expect(!destinations.contains(BoundDescriptor.anywhere))
    }
}
