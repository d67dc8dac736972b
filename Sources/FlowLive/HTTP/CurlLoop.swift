internal import CCurl
import Glibc
internal import OAuthProtocol
import Synchronization

/// The network: one thread that drives every transfer and also runs the tasks that prefer it.
///
/// A task with this executor preference starts a transfer, waits for it and goes on without changing the
/// thread. One loop has one set of trusted authorities; what a request's policy asks beyond them keeps its connections
/// apart from all others (`TransferPool`). Its thread begins with the first request and lives until `shutDown()`, which must be called outside of its own tasks, after all of them have ended.
///
/// Unchecked: `inbox` has its lock, everything mutable besides is touched by the loop's thread alone.
package final class CurlLoop: TaskExecutor, @unchecked Sendable {
    let configuration: TransportConfiguration
    /// Written to when the loop must wake.
    private let alarm: (reading: FileDescriptor, writing: FileDescriptor)
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)

    // Confined to the loop's thread.
    /// Made with the first request, since a run that needs none is over before libcurl is loaded.
    private var multi: UnsafeMutableRawPointer?
    private var ready: [UnownedJob] = []
    private var batch: [UnownedJob] = []
    private var active: [ObjectIdentifier: CurlTransfer] = [:]
    private let plain: TransferPool
    private var pools: [ConnectionPolicy: TransferPool] = [:]

    /// What other threads leave for the loop.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var cancellations: [(transfer: CurlTransfer, number: UInt64)] = []
        var isStarted = false
        var isPolling = false
        var isStopping = false
    }

    /// - Throws: When the system has no descriptor left. Whether libcurl can be used shows with the first request.
    package init(_ configuration: TransportConfiguration = TransportConfiguration()) throws(CurlUnavailable) {
        guard let alarm = FileDescriptor.pipe() else { throw .noDescriptor }
        alarm.reading.setNonBlocking()
        alarm.writing.setNonBlocking()
        self.alarm = alarm
        self.configuration = configuration
        plain = TransferPool(configuration, ProxyRule(configuration))
    }

    /// Starts the thread, unless it runs already.
    ///
    /// - Throws: When the system has no thread left.
    package func start() throws(CurlUnavailable) {
        let isStarted = inbox.withLock { inbox in
            if !inbox.isStarted { inbox.isStarted = WorkerThread.start { self.run() } }
            return inbox.isStarted
        }
        if !isStarted { throw .noThread }
    }

    deinit { if let multi { fr_multi_cleanup(multi) } }

    /// libcurl's handle for all transfers; on the loop's thread.
    ///
    /// - Throws: When libcurl is missing, not of the OpenSSL flavour, or cannot start.
    private func multiHandle() throws(CurlUnavailable) -> UnsafeMutableRawPointer {
        if let multi { return multi }
        try CurlLibrary.prepare()
        guard let new = fr_multi_init() else { throw .initialization("out of memory") }
        fr_msetopt_long(new, CURLMOPT_MAXCONNECTS, TransportConfiguration.idleConnections)
        fr_msetopt_long(new, CURLMOPT_PIPELINING, 0)
        multi = new
        return new
    }

    /// Ends the thread once nothing is left to run, and closes the connections.
    package func shutDown() {
        guard inbox.withLock(\.isStarted) else { return }
        post { $0.isStopping = true }
    }

    /// - Precondition: The loop was started.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            post { $0.jobs.append(job) }
        }
    }

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Wakes the loop only when it sleeps: one wake-up for everything posted meanwhile.
    private func post(_ change: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isPolling = false }
            return inbox.isPolling
        }
        // A pipe that is full wakes the loop as well.
        if mustWake { _ = write(alarm.writing.number, [1], 1) }
    }
}

extension CurlLoop {
    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            runReadyJobs()
            advanceTransfers()
            guard ready.isEmpty else { continue }
            if !takeInbox(beforePolling: true) { continue }
            if isDone { break }
            wait()
            _ = takeInbox(beforePolling: false)
        }
        thread.store(0, ordering: .relaxed)
        plain.close()
        for pool in pools.values { pool.close() }
        pools = [:]
    }

    /// Sleeps until a transfer can go on or another thread has left something.
    private func wait() {
        if let multi {
            fr_multi_poll(multi, alarm.reading.number, 60_000)
        } else {
            var polled = pollfd(fd: alarm.reading.number, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, -1)
        }
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(alarm.reading.number, &bytes, 16) == 16 {}
    }

    private var isDone: Bool { active.isEmpty && inbox.withLock { $0.isStopping } }

    private func runReadyJobs() {
        let executor = asUnownedTaskExecutor()
        while !ready.isEmpty {
            swap(&ready, &batch)
            for job in batch { job.runSynchronously(on: executor) }
            batch.removeAll(keepingCapacity: true)
        }
    }

    /// Takes what other threads left.
    ///
    /// - Returns: Whether nothing was there, and so the loop may sleep.
    private func takeInbox(beforePolling: Bool) -> Bool {
        var cancellations: [(transfer: CurlTransfer, number: UInt64)] = []
        let wasEmpty = inbox.withLock { inbox in
            let wasEmpty = inbox.jobs.isEmpty && inbox.cancellations.isEmpty
            if !wasEmpty {
                ready.append(contentsOf: inbox.jobs)
                inbox.jobs.removeAll(keepingCapacity: true)
                swap(&cancellations, &inbox.cancellations)
            }
            inbox.isPolling = beforePolling && wasEmpty
            return wasEmpty
        }
        for (transfer, number) in cancellations where transfer.number == number {
            complete(transfer, TransportReport(.failure(transfer.cancellation())))
        }
        return wasEmpty
    }

    private func advanceTransfers() {
        guard !active.isEmpty, let multi else { return }
        var running: Int32 = 0
        fr_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = fr_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            fr_getinfo_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let context else { continue }
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            complete(transfer, transfer.outcome(fr_message_result(message)))
        }
    }

    private func complete(_ transfer: CurlTransfer, _ report: TransportReport) {
        guard let continuation = transfer.continuation, let multi else { return }
        fr_multi_remove_handle(multi, transfer.easy)
        active[ObjectIdentifier(transfer)] = nil
        transfer.finish()
        transfer.pool.giveBack(transfer)
        continuation.resume(returning: report)
    }
}

extension CurlLoop {
    /// Sends one request; on the loop's thread only.
    func perform(_ request: HTTPRequest, _ limits: TransferLimits) async -> TransportReport {
        precondition(isCurrent, "a transfer starts on the loop's thread")
        if Task.isCancelled {
            return TransportReport(.cancelled, "the request was cancelled")
        }
        do throws(CurlUnavailable) {
            _ = try multiHandle()
        } catch {
            return TransportReport(.unprepared, error.description)
        }
        let pool: TransferPool
        do throws(TransportFailure) {
            pool = try self.pool(limits.policy)
        } catch {
            return TransportReport(.failure(error))
        }
        guard let transfer = pool.take() else {
            return TransportReport(.unprepared, "libcurl has no memory left")
        }
        if let refusal = transfer.prepare(request, limits) {
            pool.giveBack(transfer)
            return refusal
        }
        let number = transfer.number
        return await withTaskCancellationHandler {
            // Unsafe only in that it does not count resumptions: `complete` resumes once and forgets it.
            await withUnsafeContinuation { start(transfer, $0) }
        } onCancel: {
            post { $0.cancellations.append((transfer, number)) }
        }
    }

    private func pool(_ policy: ConnectionPolicy?) throws(TransportFailure) -> TransferPool {
        guard let policy else { return plain }
        if let pool = pools[policy] { return pool }
        let pool = try TransferPool(configuration, plain.proxy, policy: policy)
        pools[policy] = pool
        return pool
    }

    private func start(
        _ transfer: CurlTransfer, _ continuation: UnsafeContinuation<TransportReport, Never>
    ) {
        transfer.continuation = continuation
        guard let multi else { preconditionFailure("a transfer was prepared without libcurl") }
        active[ObjectIdentifier(transfer)] = transfer
        let code = fr_multi_add_handle(multi, transfer.easy)
        guard code != CURLM_OK else { return }
        let message = String(cString: fr_multi_strerror(code))
        complete(transfer, TransportReport(.connect, message))
    }
}
