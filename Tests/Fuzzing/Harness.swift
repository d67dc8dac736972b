#if canImport(Glibc)
    internal import Glibc
#endif

/// What libFuzzer calls with every input; the target comes from the name of the program.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let target = FuzzTarget(rawValue: targetName) else { fatalError("no target \(targetName)") }
    if let problem = target.check(bytes) { fatalError(problem) }
    return 0
}

private let targetName = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? ""
