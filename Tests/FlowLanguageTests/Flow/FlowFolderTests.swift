import Testing

@testable import FlowLanguage

@Suite("Folders of flow files")
struct FlowFolderTests {
    @Test(
        "a folder is seen from another",
        arguments: [
            ("a.yaml", "b.yaml", ""), ("flows/a.yaml", "flows/b.yaml", ""), ("a.yaml", "sub/b.yaml", "sub"),
            ("flows/a.yaml", "flows/sub/b.yaml", "sub"), ("flows/a.yaml", "shared/b.yaml", "../shared"),
            ("flows/x/a.yaml", "b.yaml", "../.."), ("./flows/a.yaml", "flows/b.yaml", ""),
            ("flows/a.yaml", "flows/../shared/b.yaml", "../shared"),
            ("flows/a.yaml", "/usr/share/b.yaml", "/usr/share"), ("/home/a.yaml", "/home/b.yaml", ""),
            ("../a.yaml", "b.yaml", ""), ("/a.yaml", "/b/c.yaml", "/b"),
        ])
    func path(outer: String, inner: String, expected: String) {
        #expect(FlowFolder.path(from: FlowFolder.of(outer), to: FlowFolder.of(inner)) == expected)
    }

    @Test(
        "folders are joined",
        arguments: [
            ("flows", "", "flows"), ("flows", "sub", "flows/sub"), ("", "sub", "sub"), ("/", "sub", "/sub"),
            ("flows", "/usr", "/usr"), ("a", "../b", "a/../b"),
        ])
    func joined(folder: String, further: String, expected: String) {
        #expect(FlowFolder.join(folder, further) == expected)
    }
}
