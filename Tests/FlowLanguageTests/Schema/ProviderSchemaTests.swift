import FlowTesting
import FoundationEssentials
import JOSE
import OAuthProtocol
import Testing

@testable import FlowLanguage

@Suite("Schema of provider descriptors")
struct ProviderSchemaTests {
    private let schema = ProviderSchema.schema()

    /// Every list of keys that the reader knows, with the shape that must have the same.
    static let lists: [(name: String, read: [String], shape: [KeyShape])] = [
        ("descriptor", ProviderReader.keys, ProviderShape.root),
        ("variables", VariableReading.keys, ProviderShape.variable),
        ("client", DescriptorReader.clientKeys, ProviderShape.client),
        ("client.basic", DescriptorReader.basicKeys, ProviderShape.basic),
        ("client.assertion", DescriptorReader.assertionKeys, ProviderShape.assertion),
        ("client.client_secret", DescriptorReader.madeSecretKeys, ProviderShape.madeSecret),
        ("client.client_secret.jwt", DescriptorReader.madeSecretTokenKeys, ProviderShape.madeSecretToken),
        ("authorization", DescriptorReader.authorizationKeys, ProviderShape.authorization),
        ("authorization.pkce", DescriptorReader.pkceKeys, ProviderShape.pkce),
        ("authorization.state", DescriptorReader.stateKeys, ProviderShape.state),
        ("authorization.endpoint_when", DescriptorReader.endpointWhenKeys, ProviderShape.endpointWhen),
        ("callback", DescriptorReader.callbackKeys, ProviderShape.callback),
        ("callback.capture", DescriptorReader.captureKeys, ProviderShape.capture),
        ("callback.verify", DescriptorReader.verifyKeys, ProviderShape.verify),
        ("callback.error", DescriptorReader.errorKeys, ProviderShape.errorNames),
        ("request", DescriptorReader.requestKeys, ProviderShape.request),
        ("operation", DescriptorReader.operationKeys, ProviderShape.operation),
        ("response", DescriptorReader.responseKeys, ProviderShape.response),
        ("response.error_when", DescriptorReader.conditionKeys, ProviderShape.condition),
        ("refresh", DescriptorReader.refreshKeys, ProviderShape.operation + ProviderShape.refresh),
        ("userinfo", DescriptorReader.userinfoKeys, ProviderShape.operation + ProviderShape.userinfo),
        ("userinfo.also", DescriptorReader.alsoKeys, ProviderShape.also),
        ("revocation", DescriptorReader.revocationKeys, ProviderShape.operation + ProviderShape.revocation),
        ("logout", DescriptorReader.logoutKeys, ProviderShape.logout),
        ("id_token", DescriptorReader.idTokenKeys, ProviderShape.idToken),
        ("claims", DescriptorReader.claimKeys, ProviderShape.claimRule),
        ("errors", DescriptorReader.adviceKeys, ProviderShape.error),
        ("classify", DescriptorReader.classificationKeys, ProviderShape.classification),
        ("redirect", DescriptorReader.redirectKeys, ProviderShape.redirect),
        ("redirect.loopback", DescriptorReader.loopbackKeys, ProviderShape.loopback),
        ("api_key", DescriptorReader.apiKeyKeys, ProviderShape.apiKey),
        ("tls", DescriptorReader.tlsKeys, ProviderShape.tls),
        ("tls.hosts", DescriptorReader.hostPinKeys, ProviderShape.hostPins),
        ("tls.pins", DescriptorReader.pinKeys, ProviderShape.pin),
        ("mtls_endpoint_aliases", ServerMetadataFields.aliasNames, ProviderShape.aliases),
    ]

    @Test("has exactly the keys that flowrun reads, each once and with a description")
    func keys() {
        for (name, read, shape) in Self.lists {
            #expect(shape.map(\.name).sorted() == read.sorted(), "keys of \(name)")
            for key in shape { #expect(!key.summary.isEmpty, "\(name).\(key.name) says nothing of itself") }
        }
    }

    @Test("flowrun.yaml has exactly the keys of a registration that flowrun reads")
    func registrations() {
        let shape = RegistrationSchema.registration
        #expect(shape.map(\.name).sorted() == RegistrationReader.keys.sorted())
        #expect(shape.allSatisfy { !$0.summary.isEmpty })
    }

    @Test("an environment has every key but those that name the descriptor and its place")
    func environments() {
        let fixed = ["provider", "extends", "environments", "protocol"]
        #expect(
            ProviderShape.environment.map(\.name).sorted()
                == ProviderReader.keys.filter { !fixed.contains($0) }.sorted())
    }

    @Test("is the same text every time, and every reference leads to a definition")
    func references() {
        #expect(schema.serialize(pretty: true) == ProviderSchema.schema().serialize(pretty: true))
        var missing: Set<String> = []
        func visit(_ value: JSONValue) {
            if let name = value["$ref"]?.stringValue {
                let definition = String(name.dropFirst("#/$defs/".count))
                if schema["$defs"]?[definition] == nil { missing.insert(definition) }
            }
            for member in value.objectValue?.members ?? [] { visit(member.value) }
            for element in value.arrayValue ?? [] { visit(element) }
        }
        visit(schema)
        #expect(missing == [])
    }

    @Test("unknown keys are refused, those of other tools are not, and a key may be taken back")
    func closed() {
        let client = schema["$defs"]?["client"]
        #expect(schema["additionalProperties"] == false)
        #expect(client?["additionalProperties"] == false)
        #expect(client?["patternProperties"] == ["^x-": [:]])
        #expect(schema["properties"]?["issuer"]?["type"] == ["string", "null"])
        #expect(schema["properties"]?["provider"]?["type"] == "string")
    }

    @Test("a part is refused by what is wrong in it, and a descriptor of OpenID Connect without its issuer")
    func pointed() {
        #expect(schema["properties"]?["client"]?["$ref"] == "#/$defs/client")
        #expect(schema["properties"]?["client"]?["anyOf"] == nil)
        #expect(schema["$defs"]?["client"]?["type"] == ["object", "null"])
        #expect(schema["then"] == ["required": ["issuer"]])
    }
}

@Suite("Schemas beside the shipped files")
struct ShippedSchemaTests {
    @Test(
        "the files are what flowrun writes; RECORD_GOLDEN=1 writes them anew",
        arguments: [
            ("flows/flow.schema.json", FlowSchema.schema()),
            ("providers/provider.schema.json", ProviderSchema.schema()),
        ])
    func current(path: String, schema: JSONValue) throws {
        let text = schema.serialize(pretty: true) + "\n"
        if Golden.isRecording {
            try Data(text.utf8).write(to: URL(filePath: Repository.path(path)))
            Issue.record("recorded \(path)")
            return
        }
        let isCurrent = try Repository.text(of: path) == text
        #expect(isCurrent, "RECORD_GOLDEN=1 swift test --filter ShippedSchemaTests writes \(path) anew")
    }

    @Test(
        "every flow and every provider names the schema in its first line",
        arguments: [("flows", "flow"), ("providers", "provider")])
    func named(folder: String, kind: String) throws {
        let files = try Repository.files(below: folder, suffix: ".yaml")
        #expect(!files.isEmpty)
        for file in files {
            let text = try Repository.text(of: file)
            let up = String(repeating: "../", count: file.split(separator: "/").count - 2)
            #expect(
                text.hasPrefix("# yaml-language-server: $schema=\(up)\(kind).schema.json\n"), "\(file)")
        }
    }
}
