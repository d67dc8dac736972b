import Glibc
package import JOSE
package import OAuthProtocol

/// Metadata and key sets on disk, one private file for each URL.
///
/// Only documents that came over TLS are kept: a server on this machine changes as often as it is started.
package struct DocumentStore: Sendable {
    /// Folder of the files; made with mode 0700 when something is kept.
    package let directory: String

    /// No provider's document is nearly as large.
    private static let largestBody = 256 << 10
    private static let largestFile = 4 * largestBody
    private static let mostFiles = 256

    package init(directory: String) {
        self.directory = directory
    }

    /// What came of looking for a document.
    package enum Finding: Sendable, Hashable {
        case nothing
        case document(StoredDocument)
        /// A file that is not used, and why.
        case refused(String)
    }

    package func read(_ kind: StoredDocument.Kind, url: String, now: Int64) -> Finding {
        guard Self.isKept(url) else { return .nothing }
        let path = path(of: url)
        let bytes: [UInt8]?
        do throws(StoreError) {
            bytes = try PrivateFile.read(path, limit: Self.largestFile)
        } catch {
            return .refused(Self.words(error, path))
        }
        guard let bytes else { return .nothing }
        do throws(DocumentFileError) {
            return .document(try DocumentFile.decode(bytes, kind, url: url, now: now))
        } catch {
            guard case .notOurs(let reason) = error else { return .nothing }
            return .refused("\(path): \(reason)")
        }
    }

    /// - Returns: Why it was not kept, where that is worth a word.
    package func keep(_ document: StoredDocument) -> String? {
        guard Self.isKept(document.origin.url), document.body.count <= Self.largestBody,
            let bytes = DocumentFile.encode(document)
        else { return nil }
        let path = path(of: document.origin.url)
        do throws(StoreError) {
            try PrivateFile.replace(path, with: bytes)
        } catch {
            return Self.words(error, path)
        }
        removeOldest()
        return nil
    }

    private static func isKept(_ url: String) -> Bool { url.hasPrefix("https://") }

    private func path(of url: String) -> String {
        let digest = Digest.sha256(Array(url.utf8)).prefix(16)
        return
            "\(directory)/\(digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()).json"
    }

    private static func words(_ error: StoreError, _ path: String) -> String {
        switch error {
        case .unavailable(_, let reason): "\(path): \(reason)"
        case .permission, .readOnly, .corrupt, .damaged, .conflict, .diskFull, .busy, .inUse, .locked,
            .wrongPassphrase, .newerSchema:
            error.words
        }
    }

    /// Keeps the folder small; whatever was written longest ago goes first.
    private func removeOldest() {
        let files = FolderFile.all(in: directory)
        guard files.count > Self.mostFiles else { return }
        for file in files.sorted(by: { $0.time < $1.time }).prefix(files.count - Self.mostFiles) {
            unlink(file.path)
        }
    }
}

extension DocumentStore {
    /// A provider's metadata as it was kept, with every check that a fetched document passes.
    ///
    /// - Parameters:
    ///   - urls: Where it may be from, in the order of discovery.
    ///   - acceptedIssuers: Further issuers that the descriptor lets a document name.
    ///   - amended: Members that a document has no say in.
    package func metadata(
        issuer: String, urls: [String], acceptedIssuers: [String], amended: Set<String>, now: Int64
    ) -> (found: (metadata: DiscoveredMetadata, document: StoredDocument)?, problems: [String]) {
        var problems: [String] = []
        for url in urls {
            switch read(.metadata, url: url, now: now) {
            case .nothing: continue
            case .refused(let reason): problems.append(reason)
            case .document(let document):
                guard document.issuer == issuer else {
                    problems.append("\(path(of: url)): it was kept for another issuer")
                    continue
                }
                var log = CheckLog()
                do throws(ProtocolError) {
                    let metadata = try DiscoveredMetadata.validate(
                        document.response, issuer: issuer, acceptedIssuers: acceptedIssuers,
                        amended: amended, log: &log)
                    return ((metadata, document), problems)
                } catch {
                    problems.append("\(path(of: url)): the document fails its checks")
                }
            }
        }
        return (nil, problems)
    }

    /// A key set as it was kept.
    package func keys(
        url: String, now: Int64
    ) -> (found: (keys: JWKSet, document: StoredDocument)?, problems: [String]) {
        switch read(.keys, url: url, now: now) {
        case .nothing: return (nil, [])
        case .refused(let reason): return (nil, [reason])
        case .document(let document):
            var log = CheckLog()
            do throws(ProtocolError) {
                return ((try JWKSResponse.read(document.response, log: &log), document), [])
            } catch {
                return (nil, ["\(path(of: url)): it is no key set"])
            }
        }
    }
}
