import JOSE
import Testing

@testable import OAuthProtocol

@Suite("Lifetimes that are hard to believe")
struct WrittenLifetimeTests {
    /// 2026-01-01.
    private static let now: Int64 = 1_767_225_600_000

    private static func likely(
        _ number: Double, _ type: ResponseDialect.MemberType
    ) -> ResponseDialect.MemberType?? {
        WrittenLifetime(member: "expires_in", type: type, number: number).doubt(now: now).map(\.likely)
    }

    @Test(
        "what providers send is believed",
        arguments: [
            0, -1, 300, 3599, 3600, 86_400, 604_800, 2_592_000, 5_184_000, 5_183_944, 7_776_000, 15_552_000,
            31_536_000, 31_556_952, 63_072_000, 94_608_000, 157_680_000, 315_360_000,
            // What only resembles milliseconds.
            960_000, 10_800_000,
        ])
    func believed(seconds: Double) {
        #expect(Self.likely(seconds, .seconds) == nil)
        #expect(Self.likely(seconds * 1000, .milliseconds) == nil)
        guard seconds > 0 else { return }
        #expect(Self.likely(Double(Self.now) / 1000 + seconds, .epoch) == nil)
        #expect(Self.likely(Double(Self.now) + seconds * 1000, .epochMilliseconds) == nil)
    }

    @Test(
        "milliseconds that are read as seconds are told",
        arguments: [1020, 3600, 7200, 54_000, 86_400, 5_184_000])
    func milliseconds(seconds: Double) {
        #expect(Self.likely(seconds * 1000, .seconds) == .some(.milliseconds))
    }

    @Test("points in time that are read as lengths are told, in either unit")
    func moments() {
        let end = Double(Self.now) / 1000 + 3600
        #expect(Self.likely(end, .seconds) == .some(.epoch))
        #expect(Self.likely(end, .milliseconds) == .some(.epoch))
        #expect(Self.likely(end * 1000, .seconds) == .some(.epochMilliseconds))
        #expect(Self.likely(end * 1000, .epoch) == .some(.epochMilliseconds))
        #expect(Self.likely(end, .epochMilliseconds) == .some(.epoch))
    }

    @Test("a length that is read as a point in time is told", arguments: [3600, 86_400])
    func lengths(seconds: Double) {
        #expect(Self.likely(seconds, .epoch) == .some(.seconds))
        #expect(Self.likely(seconds, .epochMilliseconds) == .some(.seconds))
    }

    @Test("a number that no unit explains is told without one")
    func unexplained() {
        #expect(Self.likely(1e15, .seconds) == .some(nil))
        for number in [0.0, -5] { #expect(Self.likely(number, .epoch) == .some(nil)) }
    }

    @Test(
        "no number is too large to be told [rule 91]",
        arguments: [1e19, -1e19, 1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude])
    func huge(number: Double) {
        for type in [ResponseDialect.MemberType.seconds, .milliseconds, .epoch, .epochMilliseconds] {
            let doubt = WrittenLifetime(member: "expires_in", type: type, number: number).doubt(now: Self.now)
            let span = number < 0 ? "millions of years ago" : "millions of years"
            #expect(doubt?.reading == "expires_in is read as \(span)")
        }
    }

    @Test("what has no unit is not asked about")
    func unitless() throws {
        var log = CheckLog()
        let text = try TokenLifetime.read(
            ["expires_at": "9999-12-31T00:00:00Z"], ["expires_at": .iso8601], log: &log)
        #expect(text.written?.doubt(now: Self.now) == nil)
        let number = try TokenLifetime.read(["expires_in": "3600000"], [:], log: &log)
        #expect(number.written?.doubt(now: Self.now)?.likely == .milliseconds)
    }
}
