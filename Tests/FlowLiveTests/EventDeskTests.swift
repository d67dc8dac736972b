import JOSE
import Testing

@testable import FlowLive

/// Events that the embedding program reports, and the runs that wait for them.
@Suite("EventDesk")
struct EventDeskTests {
    private let desk = EventDesk()

    private func next(_ name: String, _ milliseconds: Int = 600_000) async -> JSONValue? {
        await desk.next(name, withinMilliseconds: milliseconds)?.data
    }

    @Test("what comes before anybody waits is kept, the oldest goes first, and each is taken once")
    func kept() async {
        desk.post("a", 1)
        desk.post("b", 2)
        desk.post("a", 3)
        #expect(await next("a") == 1)
        #expect(await next("a") == 3)
        #expect(await desk.next("a", withinMilliseconds: 0) == nil)
        #expect(await next("b") == 2)
    }

    @Test("of several that wait each gets one, and nobody gets what has another name")
    func waiting() async {
        let taken = await withTaskGroup(of: JSONValue?.self) { group in
            for _ in 0..<4 { group.addTask { await next("a") } }
            for number in 0..<4 {
                desk.post("b", .int(Int64(number) + 10))
                desk.post("a", .int(Int64(number)))
                await Task.yield()
            }
            return await group.reduce(into: [JSONValue?]()) { $0.append($1) }
        }
        #expect(Set(taken) == [0, 1, 2, 3])
        #expect(await next("b") == 10)
    }

    @Test("a wait that is over takes no event from those who wait still", arguments: [true, false])
    func over(isCancelled: Bool) async {
        if isCancelled {
            let task = Task { await desk.next("a", withinMilliseconds: 600_000) }
            task.cancel()
            #expect(await task.value == nil)
        } else {
            #expect(await desk.next("a", withinMilliseconds: 0) == nil)
        }
        async let later = next("a")
        desk.post("a", 1)
        #expect(await later == 1)
        #expect(await desk.next("a", withinMilliseconds: 0) == nil)
    }

    @Test("an event may bring nothing, and is one all the same")
    func empty() async {
        desk.post("a")
        #expect(await desk.next("a", withinMilliseconds: 600_000).map { $0.data == nil } == true)
    }
}
