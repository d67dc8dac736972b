import Glibc
import Testing

@testable import FlowLive

@Suite("ProcessRunner")
struct ProcessRunnerTests {
    private func run(_ script: String, _ change: (inout ProcessRequest) -> Void = { _ in }) async throws
        -> ProcessResult
    {
        var request = ProcessRequest(arguments: ["/bin/sh", "-c", script], timeoutMilliseconds: 600_000)
        change(&request)
        return try await ProcessRunner.run(request)
    }

    @Test("input, output, errors and exit status pass through")
    func passesThrough() async throws {
        let result = try await run("cat; echo bad >&2; exit 3") { $0.input = Array("hello".utf8) }
        #expect(result.end == .exited(3))
        #expect(result.interruption == nil)
        #expect(result.output == ProcessResult.Output(bytes: Array("hello".utf8)))
        #expect(result.errors == ProcessResult.Output(bytes: Array("bad\n".utf8)))
    }

    @Test("a large input and a large output do not block each other")
    func largeStreams() async throws {
        let input = [UInt8](repeating: 7, count: 700_000)
        let result = try await run("cat") { $0.input = input }
        #expect(result.output.bytes == input)
    }

    @Test("the environment, the directory and the arguments are exactly those given")
    func environment() async throws {
        let directory = TemporaryDirectory()
        let result = try await ProcessRunner.run(
            ProcessRequest(
                arguments: ["/bin/sh", "-c", "echo \"$1|$A|$HOME|$(pwd)\"", "sh", "a b; $(c)"],
                environment: [("A", "x y")], directory: directory.path, timeoutMilliseconds: 600_000))
        #expect(String(decoding: result.output.bytes, as: UTF8.self) == "a b; $(c)|x y||\(directory.path)\n")
    }

    @Test(
        "a script that nothing can run says what is wrong with its first line",
        arguments: [
            (
                "echo {}\n",
                "its first line does not say what runs it, as #!/bin/sh or #!/usr/bin/env python3 does"
            ),
            ("#!/no/such/py -u\n", "its first line names /no/such/py to run it, which is not there"),
            (
                "#!/bin/sh\r\necho {}\r\n",
                "its first line ends with a carriage return, as files of Windows do: end lines with LF"
            ),
        ])
    func firstLine(text: String, reason: String) async throws {
        let directory = TemporaryDirectory()
        let script = directory.path + "/hook"
        let file = try #require(fopen(script, "we"))
        fputs(text, file)
        fclose(file)
        chmod(script, 0o700)
        await #expect(throws: SpawnFailure(program: script, reason: reason)) {
            _ = try await ProcessRunner.run(ProcessRequest(arguments: [script], timeoutMilliseconds: 600_000))
        }
    }

    @Test("an end whose status somebody else has taken is no success")
    func stolenStatus() throws {
        let null = try #require(FileDescriptor.nullDevice())
        let child = try SpawnedProcess.start(
            SpawnPlan(
                program: "/bin/sh", arguments: ["sh", "-c", ":"], environment: [], input: null.number,
                output: null.number, errors: null.number))
        var status: Int32 = 0
        #expect(waitpid(child.id, &status, 0) == child.id)
        #expect(child.reap() == .unknown)
    }

    @Test("output over the limit is cut and the program still ends")
    func outputLimit() async throws {
        let result = try await run("head -c 300000 /dev/zero; echo done >&2") { $0.maxOutputBytes = 1000 }
        #expect(result.end == .exited(0))
        #expect(result.output.bytes.count == 1000)
        #expect(result.output.isTruncated)
        #expect(result.errors == ProcessResult.Output(bytes: Array("done\n".utf8)))
    }

    @Test("the timeout ends the whole group")
    func timeout() async throws {
        let result = try await run("sleep 100 & echo $!; wait") { $0.timeoutMilliseconds = 150 }
        #expect(result.interruption == .timeout)
        #expect(result.end == .signalled(SIGTERM))
        let grandchild = pid_t(String(decoding: result.output.bytes, as: UTF8.self).dropLast()) ?? 0
        #expect(await isGone(grandchild))
    }

    @Test("a program that ignores SIGTERM is killed")
    func stubborn() async throws {
        let result = try await run("trap '' TERM; echo ready; while :; do sleep 0.05; done") {
            $0.timeoutMilliseconds = 200
            $0.graceMilliseconds = 50
        }
        #expect(result.interruption == .timeout)
        #expect(result.end == .signalled(SIGKILL))
    }

    @Test("processes that a program leaves behind are ended and do not hold the result back")
    func leftBehind() async throws {
        let result = try await run("sleep 100 & echo $!")
        #expect(result.end == .exited(0))
        #expect(result.interruption == nil)
        let grandchild = pid_t(String(decoding: result.output.bytes, as: UTF8.self).dropLast()) ?? 0
        #expect(await isGone(grandchild))
    }

    @Test("cancelling the task ends the program")
    func cancellation() async throws {
        let directory = TemporaryDirectory()
        let task = Task { try await run("touch \(directory.path)/up; sleep 100") }
        while access("\(directory.path)/up", F_OK) != 0 { await Task.yield() }
        task.cancel()
        let result = try await task.value
        #expect(result.interruption == .cancelled)
        #expect(result.end == .signalled(SIGTERM))
    }

    @Test("a program that is missing or has no absolute path is not started")
    func notStarted() async {
        await #expect(throws: SpawnFailure(program: "/no/such", reason: "No such file or directory")) {
            try await ProcessRunner.run(ProcessRequest(arguments: ["/no/such"]))
        }
        await #expect(throws: SpawnFailure(program: "sh", reason: "the path is not absolute")) {
            try await ProcessRunner.run(ProcessRequest(arguments: ["sh"]))
        }
    }

    @Test("a child inherits no descriptor of ours but its three")
    func descriptors() async throws {
        let open = Glibc.open("/dev/null", O_RDONLY)
        defer { close(open) }
        let result = try await run("exec ls /proc/self/fd")
        // The fourth is the directory that ls reads.
        #expect(String(decoding: result.output.bytes, as: UTF8.self) == "0\n1\n2\n3\n")
    }

    /// Whether the process ends: init reaps it a moment after the kill.
    private func isGone(_ id: pid_t) async -> Bool {
        for _ in 0..<100_000 {
            if kill(id, 0) != 0 || isZombie(id) { return true }
            await Task.yield()
        }
        return false
    }

    private func isZombie(_ id: pid_t) -> Bool {
        String(decoding: fileBytes("/proc/\(id)/stat"), as: UTF8.self).contains(") Z ")
    }
}
