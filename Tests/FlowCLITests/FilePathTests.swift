import Testing

@testable import FlowCLI

@Suite("Paths as they are shown")
struct FilePathTests {
    @Test(
        "a path is shown from the working directory where it lies below it, but never without the root alone",
        arguments: [
            ("/home/me/flows/a.yaml", "/home/me", "flows/a.yaml"),
            ("/home/me/flows/a.yaml", "/home/me/", "flows/a.yaml"),
            ("/home/other/a.yaml", "/home/me", "/home/other/a.yaml"),
            // Services start in the root of the file system.
            ("/etc/flowrun/flowrun.yaml", "/", "/etc/flowrun/flowrun.yaml"),
        ])
    func shown(path: String, directory: String, shown: String) {
        #expect(FilePath.shown(path, from: directory) == shown)
    }
}
