import FlowTesting
import JOSE
import OAuthProtocol
import Testing
import YAMLText

@testable import FlowLanguage

@Suite("Large numbers of people")
struct LargeNumberTests {
    @Test("a number that no 64 bits hold keeps every digit where a text is made of it")
    func profile() throws {
        let (descriptor, report) = DescriptorFixture.read(
            """
            claims:
              sub: userinfo.id
              name: n${userinfo.id}
              email: {path: userinfo.id, type: string}
              zoneinfo: {path: userinfo.id, type: integer}
              locale: {path: userinfo.id, type: timestamp}

            """)
        #expect(report == [])
        let userinfo = try #require(try JSON.parse(#"{"id":12345678901234567890}"#).objectValue)
        let bound = try #require(descriptor).bind(variables: [:])
        #expect(
            bound.profile(claims: nil, userinfo: userinfo, token: nil) == [
                "sub": "12345678901234567890", "name": "n12345678901234567890",
                "email": "12345678901234567890", "zoneinfo": .bigInteger("12345678901234567890"),
            ])
    }
}
