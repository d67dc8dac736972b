import Foundation
import JOSE
import Testing

/// A file of test vectors in Project Wycheproof's form: groups that share a key, each with its tests.
struct VectorFile: Sendable, CustomTestStringConvertible {
    let name: String
    let groups: [Group]

    struct Group: Sendable {
        /// What the whole file is about.
        let algorithm: String
        let members: JSONValue
        let tests: [Case]
    }

    struct Case: Sendable {
        let id: Int64
        let members: JSONValue

        var flags: [String] { members["flags"]?.arrayValue?.compactMap(\.stringValue) ?? [] }

        func hex(_ name: String) -> [UInt8] { bytes(hex: members[name]?.stringValue ?? "") }
    }

    var testDescription: String { name }

    init(_ url: URL) throws {
        name = url.lastPathComponent
        let document = try JSON.parse(
            Array(try Data(contentsOf: url)), limits: JSONLimits(depth: 16, bytes: 1 << 22))
        let algorithm = document["algorithm"]?.stringValue ?? ""
        groups = (document["testGroups"]?.arrayValue ?? []).map { group in
            Group(
                algorithm: algorithm, members: group,
                tests: (group["tests"]?.arrayValue ?? []).map {
                    Case(id: $0["tcId"]?.intValue ?? 0, members: $0)
                })
        }
    }

    static let all: [VectorFile] = {
        let own = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
        return [own, own.appending(path: "wycheproof")].flatMap { folder in
            let found = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            return (found ?? []).filter { $0.pathExtension == "json" }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
                .compactMap { try? VectorFile($0) }
        }
    }()
}
