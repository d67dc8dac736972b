import Testing

@testable import OAuthProtocol

@Suite("How long documents are kept")
struct DocumentOriginTests {
    static let lifetimes: [(fields: [HTTPField], seconds: Int64)] = [
        ([], 3_600),
        ([HTTPField("Cache-Control", "max-age=600")], 600),
        ([HTTPField("cache-control", "public, Max-Age=\"7200\"")], 7_200),
        ([HTTPField("Cache-Control", "max-age=1")], 300),
        ([HTTPField("Cache-Control", "max-age=99999999999")], 86_400),
        ([HTTPField("Cache-Control", "max-age=-1")], 3_600),
        ([HTTPField("Cache-Control", "max-age=99999999999999999999999")], 3_600),
        ([HTTPField("Cache-Control", "no-store"), HTTPField("Cache-Control", "max-age=600")], 300),
        ([HTTPField("Cache-Control", "no-cache")], 300),
        ([HTTPField("Cache-Control", "max-age=7200"), HTTPField("Age", "3600")], 3_600),
        ([HTTPField("Cache-Control", "max-age=7200"), HTTPField("Age", "-5")], 7_200),
        ([HTTPField("Cache-Control", "max-age=7200"), HTTPField("Age", "9000000000000000000")], 300),
    ]

    @Test("five minutes at least, a day at most, an hour where nothing is said", arguments: lifetimes)
    func lifetime(fields: [HTTPField], seconds: Int64) {
        #expect(CacheLifetime.milliseconds(of: HTTPResponse(status: 200, fields: fields)) == seconds * 1_000)
    }

    private func conditions(_ fields: [HTTPField]) -> [String] {
        DocumentOrigin(of: HTTPResponse(status: 200, fields: fields), url: "", now: 0).conditions.map(\.name)
    }

    @Test("the entity tag makes the condition, else the date, else there is none")
    func conditions() {
        let tag = HTTPField("ETag", "W/\"a\"")
        let date = HTTPField("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(conditions([date, tag]) == ["If-None-Match"])
        #expect(conditions([date]) == ["If-Modified-Since"])
        #expect(conditions([]) == [])
    }

    @Test("a validator that cannot be sent back is none")
    func unusable() {
        #expect(conditions([HTTPField("ETag", String(repeating: "a", count: 257))]) == [])
        #expect(conditions([HTTPField("ETag", "a\r\nb")]) == [])
        #expect(conditions([HTTPField("ETag", "")]) == [])
    }

    @Test("a renewed copy keeps the validators that the answer does not repeat")
    func renewed() {
        let origin = DocumentOrigin(url: "u", fetchedAt: 0, freshUntil: 1, entityTag: "a", lastModified: "d")
        let answer = HTTPResponse(status: 304, fields: [HTTPField("ETag", "b")])
        #expect(
            origin.renewed(by: answer, now: 5)
                == DocumentOrigin(
                    url: "u", fetchedAt: 5, freshUntil: 3_600_005, entityTag: "b", lastModified: "d"))
    }
}
