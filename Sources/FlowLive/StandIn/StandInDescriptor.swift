package import FlowLanguage
internal import JOSE
internal import YAMLText

/// A provider's descriptor in one piece whose addresses are those of its stand-in.
package struct StandInDescriptor: Sendable {
    private let root: JSONObject
    /// Keys with addresses that only an answer fills in, which would lead to the provider itself.
    package let strayKeys: [String]

    /// - Parameters:
    ///   - id: What it is called.
    ///   - base: Where the stand-in is, as `http://127.0.0.1:9400`.
    ///   - variables: Their values.
    package init(_ fields: DescriptorFields, id: String, base: String, variables: [String: String]) {
        var root: JSONObject = [:]
        var stray: [String] = []
        let rewriting = Rewriting(base: base, variables: variables)
        for field in fields.fields where !["extends", "tls"].contains(field.path[0]) {
            // The host is this machine now.
            guard field.path.last != Rewriting.hosts else { continue }
            var value = field.value
            if field.path == ["provider"] { value = .string(id) }
            if field.path == ["display_name"] { value = .string("\(value.stringValue ?? id) (stand-in)") }
            value = rewriting.value(value, at: field.path, &stray)
            Self.put(value, at: field.path[...], in: &root)
        }
        for (name, value) in variables {
            Self.put(.string(value), at: ["variables", name, "default"], in: &root)
        }
        for name in fields.removed { root[name] = .null }
        self.root = root
        strayKeys = stray
    }

    package static let beginning = "# Made by flowrun sandbox --provider"

    /// The file.
    package var text: String {
        "\(Self.beginning): everything but the addresses is the provider's.\n"
            + Self.lines(root, indent: 0).joined()
    }

    private static func put(_ value: JSONValue, at path: ArraySlice<String>, in object: inout JSONObject) {
        guard let key = path.first else { return }
        guard path.count > 1 else {
            object[key] = value
            return
        }
        var inner = object[key]?.objectValue ?? [:]
        put(value, at: path.dropFirst(), in: &inner)
        object[key] = .object(inner)
    }

    /// JSON is YAML; mappings stand in lines all the same, for whoever reads the file.
    private static func lines(_ object: JSONObject, indent: Int) -> [String] {
        object.flatMap { key, value -> [String] in
            let start = String(repeating: " ", count: indent) + name(key)
            if let inner = value.objectValue, !inner.isEmpty {
                return ["\(start):\n"] + lines(inner, indent: indent + 2)
            }
            return ["\(start): \(value.serialize())\n"]
        }
    }

    private static func name(_ key: String) -> String {
        let isPlain = key.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        let isWord = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(key)
        return isPlain && !isWord && !key.isEmpty ? key : JSONValue.string(key).serialize()
    }
}

/// Moves addresses from `https://HOST/PATH` to `BASE/HOST/PATH`.
private struct Rewriting {
    /// The key with the hosts of the provider itself that an answer may choose from.
    static let hosts = "allowed_hosts"

    let base: String
    let variables: [String: String]

    /// - Parameter path: The keys that lead to it.
    func value(_ value: JSONValue, at path: [String], _ stray: inout [String]) -> JSONValue {
        if let object = value.objectValue {
            let members = object.map { ($0.key, self.value($0.value, at: path + [$0.key], &stray)) }
            return .object(JSONObject(members.filter { $0.0 != Self.hosts }))
        }
        if let values = value.arrayValue { return .array(values.map { self.value($0, at: path, &stray) }) }
        guard let text = value.stringValue, let key = path.last, Self.isAddress(key) else { return value }
        let known = variables.reduce(text) { text, variable in
            text.replacing("${vars.\(variable.key)}", with: variable.value)
        }
        if known.hasPrefix("https://") { return .string("\(base)/\(known.dropFirst("https://".count))") }
        if known.hasPrefix("${") { stray.append(path.joined(separator: ".")) }
        return .string(known)
    }

    private static func isAddress(_ key: String) -> Bool {
        ["issuer", "issuer_aliases", "endpoint", "jwks_uri", "server_metadata_url"].contains(key)
            || key.hasSuffix("_endpoint")
    }
}
