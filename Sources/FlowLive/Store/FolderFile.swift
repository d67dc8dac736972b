import Glibc

/// A file of a folder that others write to as well.
struct FolderFile {
    let path: String
    /// When it was last written, in seconds since 1970.
    let time: Int

    /// The files there are now, those that begin with a dot left out; none of a folder that cannot be read.
    static func all(in directory: String) -> [FolderFile] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var files: [FolderFile] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var details = stat()
            let path = "\(directory)/\(name)"
            guard !name.hasPrefix("."), lstat(path, &details) == 0 else { continue }
            files.append(FolderFile(path: path, time: details.st_mtim.tv_sec))
        }
        return files
    }
}
