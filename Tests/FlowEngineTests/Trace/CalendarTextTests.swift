import FlowEngine
import Testing

@Suite("Instants as text")
struct CalendarTextTests {
    @Test(
        "an instant is its date and time in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_007, "2024-02-29T23:59:59.007Z"),
            (4_107_542_399_050, "2100-02-28T23:59:59.050Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
            (Int64.max, "292278994-08-17T07:12:55.807Z"),
            (Int64.min, "-292275055-05-16T16:47:04.192Z"),
        ])
    func dates(instant: Int64, text: String) {
        #expect(CalendarText.utc(instant, milliseconds: true) == text)
        #expect(CalendarText.utc(instant) == text.dropLast(5) + "Z")
    }
}
