internal import CExpat
internal import JOSE

/// Why a text is not XML that we read.
struct XMLError: Error, Sendable, Hashable {
    let reason: String
}

/// XML as JSON: an element is an object of its children, or its text when it has none; children of one name are a list.
///
/// An attribute `b` of the element `a` is the member `a@b` beside `a`, so that an element with attributes is read as one
/// without. Comments are left out. A document type is refused, and with it every entity that could grow.
enum XMLText {
    /// An object whose one member is the root element.
    static func parse(_ bytes: [UInt8]) throws(XMLError) -> JSONObject {
        let reader = XMLReader()
        guard let parser = XML_ParserCreate("UTF-8") else { throw XMLError(reason: "out of memory") }
        defer { XML_ParserFree(parser) }
        XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
        XML_SetElementHandler(
            parser,
            { user, name, attributes in
                XMLReader.of(user)?.begin(
                    name.map { String(cString: $0) } ?? "", attributes.map(XMLReader.pairs) ?? [])
            },
            { user, _ in XMLReader.of(user)?.end() })
        XML_SetCharacterDataHandler(parser) { user, text, count in
            guard let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            XMLReader.of(user)?.add(String(decoding: bytes, as: UTF8.self))
        }
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
            XMLReader.of(user)?.refuse("it declares a document type")
        }
        let status = bytes.withUnsafeBytes { buffer in
            XML_Parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: buffer.count), 1)
        }
        withExtendedLifetime(reader) {}
        if let refusal = reader.refusal { throw XMLError(reason: refusal) }
        guard status == XML_STATUS_OK, let root = reader.root else {
            let text = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
            throw XMLError(reason: "\(text ?? "it ends too early") in line \(fr_xml_line(parser))")
        }
        return root
    }
}

/// What Expat's calls build; used by one thread, for the length of one call.
private final class XMLReader {
    private struct Element {
        let name: String
        let attributes: [(name: String, value: String)]
        var text = ""
        var children: [Child] = []
    }

    private struct Child {
        let name: String
        let attributes: [(name: String, value: String)]
        let value: JSONValue
    }

    private static let depth = 32
    private static let elements = 1_000

    private var open: [Element] = []
    private var count = 0
    private(set) var root: JSONObject?
    private(set) var refusal: String?

    static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
        user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    func refuse(_ reason: String) {
        if refusal == nil { refusal = reason }
    }

    /// Names and values by turns, until there is no name.
    static func pairs(
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>
    ) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        var place = attributes
        while let name = place[0], let value = place[1] {
            pairs.append((String(cString: name), String(cString: value)))
            place += 2
        }
        return pairs
    }

    func begin(_ name: String, _ attributes: [(name: String, value: String)]) {
        count += 1 + attributes.count
        guard refusal == nil, open.count < Self.depth, count <= Self.elements else {
            return refuse("it has more than \(Self.elements) elements or \(Self.depth) levels")
        }
        let kept = attributes.filter { $0.name != "xmlns" && !$0.name.hasPrefix("xmlns:") }
        open.append(
            Element(name: Self.local(name), attributes: kept.map { (Self.local($0.name), $0.value) }))
    }

    /// A prefix says nothing without its declaration, and these answers have one vocabulary each.
    private static func local(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
    }

    func add(_ text: String) {
        guard refusal == nil, !open.isEmpty else { return }
        open[open.count - 1].text += text
    }

    func end() {
        guard refusal == nil, let element = open.popLast() else { return }
        let value: JSONValue =
            element.children.isEmpty
            ? .string(Self.trimmed(element.text)) : .object(Self.object(element.children))
        let child = Child(name: element.name, attributes: element.attributes, value: value)
        if open.isEmpty {
            root = Self.object([child])
        } else {
            open[open.count - 1].children.append(child)
        }
    }

    private static func object(_ children: [Child]) -> JSONObject {
        var object: JSONObject = [:]
        var lists: Set<String> = []
        for child in children {
            guard let first = object[child.name] else {
                object[child.name] = child.value
                continue
            }
            let earlier = lists.insert(child.name).inserted ? [first] : first.arrayValue ?? []
            object[child.name] = .array(earlier + [child.value])
        }
        addAttributes(of: children, to: &object)
        return object
    }

    /// Of elements of one name a list with as many places as there are elements.
    private static func addAttributes(of children: [Child], to object: inout JSONObject) {
        guard children.contains(where: { !$0.attributes.isEmpty }) else { return }
        let groups = Dictionary(grouping: children, by: \.name)
        for child in children {
            guard let group = groups[child.name] else { continue }
            for (name, value) in child.attributes where object["\(child.name)@\(name)"] == nil {
                let values = group.map { one in
                    one.attributes.first { $0.name == name }.map { JSONValue.string($0.value) } ?? .null
                }
                object["\(child.name)@\(name)"] = group.count == 1 ? .string(value) : .array(values)
            }
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(decoding: Array(text.utf8).trimming { $0 <= 0x20 }, as: UTF8.self)
    }
}
