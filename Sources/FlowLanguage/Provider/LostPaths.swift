internal import JOSE
internal import OAuthProtocol
internal import YAMLText

/// FL106: paths that lead nowhere, as far as the file itself shows that.
extension DescriptorReader {
    /// A name that is a URL, as providers give their own claims, has dots: without quotes they part the path.
    mutating func warnOfURL(_ path: ValuePath, _ node: YAMLNode) {
        let isName = path.segments.contains { segment in
            if case .member(let name) = segment { name.holds("://") } else { false }
        }
        guard isName, !path.text.holds("\"") else { return }
        let text = path.text
        let pointer = text.replacing("~", with: "~0").replacing("/", with: "~1")
        warn(
            "FL106", node, "the dots of \"\(text)\" part it into members, and no answer has them",
            hint: "quote the name within the path, as '[\"\(text)\"]'; in a template: "
                + "get(userinfo, '/\(pointer)')")
    }

    /// A path as other languages write it, which would be the name of a member here (RFC 6901, RFC 9535).
    mutating func refuseForeignPath(_ text: String, _ node: YAMLNode) {
        let (form, own): (String, String)
        if text.hasPrefix("/") {
            (form, own) = ("JSON pointer", Self.path(ofPointer: text))
        } else if text == "$" || text.hasPrefix("$.") || text.hasPrefix("$[") {
            (form, own) = ("JSONPath", String(text.dropFirst(text.hasPrefix("$.") ? 2 : 1)))
        } else {
            return
        }
        report(
            "FL016", node, "\"\(text)\" is a \(form), and paths are written another way",
            hint: "write \(ValuePath(own) == nil ? "a.b or a[0].b" : own)")
    }

    private static func path(ofPointer pointer: String) -> String {
        pointer.split(separator: "/").reduce("") { path, part in
            let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            if path.isEmpty { return name.holds(".") ? "[\"\(name)\"]" : name }
            if Int(name) != nil { return "\(path)[\(name)]" }
            return name.holds(".") ? "\(path)[\"\(name)\"]" : "\(path).\(name)"
        }
    }

    /// Without an ID token there are no claims, and what reads them is not sent.
    mutating func warnOfReadClaims(_ descriptor: ProviderDescriptor) {
        guard readsClaims, layers.isComplete, descriptor.issuesNoIDToken else { return }
        for request in descriptor.requests {
            guard let text = request.text(reading: .claims) else { continue }
            let node = YAMLNode(span: text.span, content: .scalar(YAMLScalar(text: "", style: .plain)))
            warn(
                "FL103", node, "claims are those of an ID token, and nothing says that there is one",
                hint: "token.response.keep keeps members as token.NAME, callback.capture as callback.NAME")
        }
    }

    /// Compares the claims with the example of the answer that they are made of.
    mutating func warnOfLostClaims(_ descriptor: ProviderDescriptor) {
        guard layers.isComplete, descriptor.userinfo.isSupported, let claims = root["claims"]?.mapping,
            let example = descriptor.userinfoExample
        else { return }
        for (name, rule) in descriptor.claims.rules {
            // Another answer may have what this one has not.
            let isLost = rule.origins.allSatisfy { origin in
                place(of: origin, descriptor).map { !Self.leads($0, .object(example)) } ?? false
            }
            guard isLost,
                let node = claims.entries.first(where: { $0.key == name })?.value,
                !diagnostics.contains(where: { $0.span == node.span })
            else { continue }
            let texts = rule.origins.compactMap { origin in
                if case .path(let path) = origin { path.text } else { nil }
            }
            let members = example.keys.prefix(12).joined(separator: ", ")
            let missing = texts.joined(separator: "\", \"")
            warn(
                "FL106", node,
                "claim \"\(name)\" finds nothing in userinfo.example, which has no \"\(missing)\"",
                hint: "members there: \(members)")
        }
    }

    /// Where a claim looks in the example; `nil` where another answer may have it.
    private func place(
        of origin: ClaimsFacts.Origin, _ descriptor: ProviderDescriptor
    ) -> ArraySlice<ValuePath.Segment>? {
        guard case .path(let path) = origin, case .member(let first)? = path.segments.first else {
            return nil
        }
        let facts = descriptor.userinfo
        // The example of a further answer stands under its name, where there is one.
        if facts.also.contains(where: { $0.name == first }) {
            return descriptor.userinfoExample?[first] == nil ? nil : path.segments[...]
        }
        let isNamed: Bool
        switch first {
        case "id_token", "token", "callback": return nil
        default: isNamed = first == "userinfo"
        }
        switch descriptor.claims.source {
        case .idToken, .token: guard isNamed else { return nil }
        case .merge: guard isNamed || descriptor.issuesNoIDToken else { return nil }
        case .userinfo: break
        }
        let segments = path.segments.dropFirst(isNamed ? 1 : 0)
        let response = facts.operation.response
        if case .member(let name)? = segments.first {
            // Members that rules make of the answer are in no example.
            guard response.map[name] == nil, response.defaults[name] == nil else { return nil }
        }
        return segments
    }

    /// Whether the path leads to a member, even one that is null.
    private static func leads(_ path: ArraySlice<ValuePath.Segment>, _ value: JSONValue) -> Bool {
        guard let first = path.first else { return true }
        let rest = path.dropFirst()
        switch first {
        case .member(let name):
            // What is null for the person of the example may be an object for another.
            if value.isNull { return true }
            return value[name].map { leads(rest, $0) } ?? false
        case .index, .firstWhere, .every:
            guard let items = value.arrayValue else { return value.isNull }
            return items.isEmpty || items.contains { leads(rest, $0) }
        }
    }
}
