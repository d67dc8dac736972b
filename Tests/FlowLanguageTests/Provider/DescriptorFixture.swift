import FoundationEssentials
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

enum DescriptorFixture {
    /// The folder of the shipped descriptors.
    static func shipped(_ name: String) throws -> SourceFile {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/providers/\(name).yaml"
        let bytes = try #require(FileManager.default.contents(atPath: path), "no file \(path)")
        return SourceFile(path: "providers/\(name).yaml", bytes: Array(bytes))
    }

    static func bound(_ name: String, _ variables: [String: String] = [:]) throws -> BoundDescriptor {
        let reading = ProviderReader.read(try shipped(name))
        #expect(reading.diagnostics == [])
        return try #require(reading.descriptor).bind(variables: variables)
    }

    /// A smallest descriptor with more lines.
    static func read(_ lines: String) -> (descriptor: ProviderDescriptor?, report: [String]) {
        let text = "provider: p\nprotocol: oidc\nissuer: https://p.example\n" + lines
        let reading = ProviderReader.read(SourceFile(path: "x/p.yaml", text: text))
        return (reading.descriptor, reading.diagnostics.map { "\($0.code) \($0.span.start): \($0.message)" })
    }
}
