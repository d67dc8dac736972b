import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Metadata that descriptors speak of")
struct DescriptorMetadataTests {
    @Test(
        "metadata that nobody has an issuer for is reported, for it would never be fetched",
        arguments: [
            ("discovery: required", "FL011 3:12: \"discovery\""),
            ("server_metadata_url: https://p.example/m", "FL011 3:22: \"server_metadata_url\""),
        ])
    func metadataWithoutIssuer(_ line: String, _ place: String) {
        let text = "provider: p\nprotocol: oauth2\n\(line)\ntoken_endpoint: https://p.example/token\n"
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: text))
        #expect(
            reading.diagnostics.map { "\($0.code) \($0.span.start): \($0.message)" } == [
                place + " needs the key \"issuer\": without it no metadata is ever fetched"
            ])
        let named = ProviderReader.read(
            SourceFile(path: "p.yaml", text: text + "issuer: https://p.example\n"))
        #expect(named.diagnostics == [])
    }

    @Test(
        "plain OAuth 2.0 uses the metadata whose address the file names",
        arguments: [
            ("", ProviderDescriptor.DiscoveryMode.off),
            ("server_metadata_url: https://p.example/m\n", .auto),
            ("server_metadata_url: https://p.example/m\ndiscovery: required\n", .required),
        ])
    func standardDiscovery(_ lines: String, _ mode: ProviderDescriptor.DiscoveryMode) {
        let ground = "provider: p\nprotocol: oauth2\nissuer: https://p.example\n"
        let endpoint = lines.isEmpty ? "token_endpoint: https://p.example/token\n" : ""
        let reading = ProviderReader.read(SourceFile(path: "p.yaml", text: ground + endpoint + lines))
        #expect(reading.diagnostics == [])
        #expect(reading.descriptor?.discovery == mode)
        #expect(reading.descriptor?.userinfo.isSupported == (mode != .off))
    }

    private static let whole = """
        authorization_endpoint: https://p.example/authorize
        token_endpoint: https://p.example/token
        userinfo_endpoint: https://p.example/me
        jwks_uri: https://p.example/keys

        """
    private static let neverFetched =
        "no sign-in fetches the metadata: the file names every endpoint that one needs"

    @Test(
        "metadata that the file speaks of and that no sign-in fetches is warned of",
        arguments: [
            ("discovery: auto\n" + whole, "FL088 4:12: \(neverFetched)"),
            ("server_metadata_url: https://p.example/m\n" + whole, "FL088 4:22: \(neverFetched)"),
            (
                "discovery: off\nserver_metadata_url: https://p.example/m\n" + whole,
                "FL088 5:22: with discovery: off no metadata is ever fetched"
            ),
            ("discovery: required\n" + whole, nil),
            ("discovery: off\n" + whole, nil),
            (whole, nil),
            (
                "discovery: auto\nauthorization_endpoint: https://p.example/a\n"
                    + "token_endpoint: https://p.example/t\nuserinfo_endpoint: https://p.example/me\n", nil
            ),
        ] as [(String, String?)])
    func unusedMetadata(_ lines: String, _ expected: String?) {
        let (descriptor, report) = DescriptorFixture.read(lines)
        #expect(report == (expected.map { [$0] } ?? []))
        #expect(descriptor != nil)
    }
}
