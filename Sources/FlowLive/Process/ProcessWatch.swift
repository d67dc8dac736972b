import Glibc

/// One run of one program, watched by a thread that may block.
final class ProcessWatch {
    private let request: ProcessRequest
    private let cancelled: FileDescriptor
    private var childEnds: (input: FileDescriptor, output: FileDescriptor, errors: FileDescriptor)?
    /// `nil` once everything is written or the child does not read.
    private var input: FileDescriptor?
    private var pendingInput: ArraySlice<UInt8>
    private var output: CollectedOutput
    private var errors: CollectedOutput
    private var interruption: ProcessResult.Interruption?
    /// When the next measure is due, on the monotonic clock in milliseconds.
    private var deadline: Int64

    /// How long outputs are read after the group has ended: only a process that left the group can hold them.
    private static let drainMilliseconds: Int64 = 200

    /// `nil` when no descriptors are left.
    init?(_ request: ProcessRequest, cancelled: FileDescriptor?) {
        guard let cancelled, let input = FileDescriptor.pipe(), let output = FileDescriptor.pipe(),
            let errors = FileDescriptor.pipe()
        else { return nil }
        self.request = request
        self.cancelled = cancelled
        childEnds = (input.reading, output.writing, errors.writing)
        self.input = input.writing
        pendingInput = request.input[...]
        self.output = CollectedOutput(output.reading, limit: request.maxOutputBytes)
        self.errors = CollectedOutput(errors.reading, limit: request.maxOutputBytes)
        deadline = MonotonicClock.milliseconds() + Int64(request.timeoutMilliseconds)
        input.writing.setNonBlocking()
    }

    /// Runs the program to its end.
    func run() throws(SpawnFailure) -> ProcessResult {
        let child = try start()
        RunningPrograms.add(child.id)
        guard let ended = Self.announceEnd(of: child) else {
            child.signalGroup(SIGKILL)
            RunningPrograms.remove(child.id)
            _ = child.reap()
            throw SpawnFailure(program: request.arguments[0], reason: "no threads are left")
        }
        writeInput()
        while !poll(child, ended) {}
        // While it is not reaped its number cannot belong to another group.
        child.signalGroup(SIGKILL)
        RunningPrograms.remove(child.id)
        let end = child.reap()
        drain()
        return ProcessResult(
            end: end, interruption: interruption, output: output.collected, errors: errors.collected)
    }

    private func start() throws(SpawnFailure) -> SpawnedProcess {
        guard let program = request.arguments.first, program.hasPrefix("/"), let childEnds else {
            throw SpawnFailure(program: request.arguments.first ?? "", reason: "the path is not absolute")
        }
        defer { self.childEnds = nil }
        return try SpawnedProcess.start(
            SpawnPlan(
                program: program, arguments: request.arguments, environment: request.environment,
                directory: request.directory, input: childEnds.input.number, output: childEnds.output.number,
                errors: request.errorDescriptor ?? childEnds.errors.number))
    }

    /// A descriptor that becomes readable when the child has ended.
    private static func announceEnd(of child: SpawnedProcess) -> FileDescriptor? {
        guard let (reading, writing) = FileDescriptor.pipe() else { return nil }
        let isStarted = WorkerThread.start {
            withExtendedLifetime(writing) { child.waitForEnd() }
        }
        return isStarted ? reading : nil
    }

    /// Waits for the next event and answers it; `true` when the child has ended.
    private func poll(_ child: SpawnedProcess, _ ended: FileDescriptor) -> Bool {
        let remaining = deadline - MonotonicClock.milliseconds()
        if remaining <= 0 {
            escalate(child, .timeout)
            return false
        }
        var events = [
            pollfd(fd: ended.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interruption == nil ? cancelled.number : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
        ]
        Glibc.poll(&events, nfds_t(events.count), Int32(clamping: remaining))
        if events[1].revents != 0 { escalate(child, .cancelled) }
        if events[2].revents != 0 {
            output.read()
            if request.endsAtOutputLimit, output.collected.isTruncated, interruption == nil {
                escalate(child, .output)
            }
        }
        if events[3].revents != 0 { errors.read() }
        if events[4].revents != 0 { writeInput() }
        return events[0].revents != 0
    }

    /// Asks the group to end; the second time, ends it.
    private func escalate(_ child: SpawnedProcess, _ reason: ProcessResult.Interruption) {
        if interruption == nil {
            interruption = reason
            child.signalGroup(SIGTERM)
            deadline = MonotonicClock.milliseconds() + Int64(request.graceMilliseconds)
        } else {
            child.signalGroup(SIGKILL)
            deadline = Int64.max
        }
    }

    /// Writes what the pipe takes; a child that does not read its input is no failure.
    private func writeInput() {
        while let input {
            guard !pendingInput.isEmpty else {
                self.input = nil
                return
            }
            let count = pendingInput.withUnsafeBytes { write(input.number, $0.baseAddress, $0.count) }
            if count >= 0 {
                pendingInput = pendingInput.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                self.input = nil
            }
        }
    }

    private func drain() {
        let end = MonotonicClock.milliseconds() + Self.drainMilliseconds
        while output.descriptor != nil || errors.descriptor != nil {
            let remaining = end - MonotonicClock.milliseconds()
            guard remaining > 0 else { return }
            var events = [
                pollfd(fd: output.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            Glibc.poll(&events, nfds_t(events.count), Int32(clamping: remaining))
            if events[0].revents != 0 { output.read() }
            if events[1].revents != 0 { errors.read() }
        }
    }
}

/// One output of a child, read to its end and kept up to a limit.
private struct CollectedOutput {
    private(set) var collected = ProcessResult.Output()
    /// `nil` at the end of the output.
    private(set) var descriptor: FileDescriptor?
    private let limit: Int

    init(_ descriptor: FileDescriptor, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Takes what is there; called when the descriptor is readable.
    mutating func read() {
        guard let descriptor else { return }
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            let count = Glibc.read(descriptor.number, buffer.baseAddress, buffer.count)
            if count > 0 {
                let kept = min(count, limit - collected.bytes.count)
                collected.bytes.append(contentsOf: buffer.prefix(kept))
                collected.isTruncated = collected.isTruncated || kept < count
            } else if count == 0 || errno != EINTR {
                self.descriptor = nil
            }
        }
    }
}
