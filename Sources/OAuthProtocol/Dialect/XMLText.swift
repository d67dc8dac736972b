internal import CExpat
internal import JOSE

/// Why a text is not XML that we read.
struct XMLError: Error, Sendable, Hashable {
    let reason: String
}

/// XML as JSON: an element is an object of its children, or its text when it has none; children of one name are a list.
///
/// Attributes and comments are left out. A document type is refused, and with it every entity that could grow.
enum XMLText {
    /// An object whose one member is the root element.
    static func parse(_ bytes: [UInt8]) throws(XMLError) -> JSONObject {
        let reader = XMLReader()
        guard let parser = XML_ParserCreate("UTF-8") else { throw XMLError(reason: "out of memory") }
        defer { XML_ParserFree(parser) }
        XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
        XML_SetElementHandler(
            parser,
            { user, name, _ in XMLReader.of(user)?.begin(name.map { String(cString: $0) } ?? "") },
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
        var text = ""
        var children: [(name: String, value: JSONValue)] = []
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

    func begin(_ name: String) {
        count += 1
        guard refusal == nil, open.count < Self.depth, count <= Self.elements else {
            return refuse("it has more than \(Self.elements) elements or \(Self.depth) levels")
        }
        // A prefix says nothing without its declaration, and these answers have one vocabulary each.
        let local = name.utf8.lastIndex(of: UInt8(ascii: ":")).map { name[name.utf8.index(after: $0)...] }
        open.append(Element(name: local.map(String.init) ?? name))
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
        if open.isEmpty {
            root = JSONObject([(element.name, value)])
        } else {
            open[open.count - 1].children.append((element.name, value))
        }
    }

    private static func object(_ children: [(name: String, value: JSONValue)]) -> JSONObject {
        var object: JSONObject = [:]
        var lists: Set<String> = []
        for (name, value) in children {
            guard let first = object[name] else {
                object[name] = value
                continue
            }
            let earlier = lists.insert(name).inserted ? [first] : first.arrayValue ?? []
            object[name] = .array(earlier + [value])
        }
        return object
    }

    private static func trimmed(_ text: String) -> String {
        String(decoding: Array(text.utf8).trimming { $0 <= 0x20 }, as: UTF8.self)
    }
}
