import FlowTesting
import OAuthProtocol
import Testing

@testable import FlowLive

/// Rules of the security page about sockets and about what libcurl is told.
@Suite("Security rules of the machine's edge")
struct SecurityRuleTests {
    // MARK: Listener

    /// The local addresses of the sockets that listen on a port, as the kernel lists them: hexadecimal, in the
    /// machine's order of bytes.
    private func listeningAddresses(_ port: UInt16) -> [String] {
        let number = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - number.count) + number
        return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { file in
            String(decoding: fileBytes(file), as: UTF8.self).split(separator: "\n").compactMap { line in
                let columns = line.split(separator: " ")
                // State 0A is LISTEN.
                guard columns.count > 3, columns[1].hasSuffix(suffix), columns[3] == "0A" else { return nil }
                return String(columns[1].dropLast(suffix.count))
            }
        }
    }

    @Test("the listener is bound to a loopback address and to no other [rule 50]")
    func loopbackOnly() throws {
        let listener = try LoopbackListener.open()
        let found = listeningAddresses(listener.port)
        let loopback = ["0100007F", "00000000000000000000000001000000"]
        #expect(!found.isEmpty)
        #expect(found.allSatisfy(loopback.contains))
        withExtendedLifetime(listener) {}
    }

    @Test("two sign-ins at once have addresses of their own, and no answer of the other [rule 8]")
    func ownAddresses() async throws {
        let one = try LoopbackListener.open()
        let two = try LoopbackListener.open()
        one.inbox.expect(state: "S1")
        two.inbox.expect(state: "S2")
        #expect(one.redirectURI != two.redirectURI)
        let answer = await rawExchange(
            two.port,
            "GET /callback?code=a&state=S1 HTTP/1.1\r\nHost: 127.0.0.1:\(two.port)\r\nConnection: close\r\n\r\n"
        )
        #expect(Answer(answer).status == 400)
        #expect(two.inbox.refused == 1)
        await one.close()
        await two.close()
    }

    @Test("a token for logout from behind that is posted here is not taken [rule 161]")
    func backChannelLogout() async throws {
        let listener = try LoopbackListener.open()
        listener.inbox.expect(state: "S1")
        let body = "logout_token=e30.e30.c2ln"
        let answer = await rawExchange(
            listener.port,
            "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        #expect(Answer(answer).status == 405)
        await listener.close()
    }

    // MARK: libcurl

    /// The source files that speak to libcurl, in one text.
    private func sources() throws -> String {
        let files = try Repository.files(below: "Sources/FlowLive", suffix: ".swift")
        return try (files + ["Sources/CCurl/shim.h"]).map { try Repository.text(of: $0) }.joined()
    }

    @Test(
        "libcurl is told once to follow nothing, to read no .netrc, to send no referrer and what to decode [rules 166, 168]",
        arguments: [
            "CURLOPT_FOLLOWLOCATION, 0)", "CURLOPT_REDIR_PROTOCOLS_STR, \"\")",
            "CURLOPT_UNRESTRICTED_AUTH, 0)", "CURLOPT_AUTOREFERER, 0)", "CURLOPT_NETRC, 0)",
            "CURLOPT_ACCEPT_ENCODING, \"gzip, deflate\")",
        ])
    func policy(setting: String) throws {
        let name = String(setting.prefix { $0 != "," })
        let text = try sources()
        #expect(text.contains(setting))
        #expect(text.ranges(of: name + ",").count == 1)
    }

    @Test("libcurl knows https everywhere, and http where the target is loopback [rule 168]")
    func schemes() throws {
        let found = try sources().matches(of: /CURLOPT_PROTOCOLS_STR, ([^)\n]*)\)/).map { String($0.1) }
        #expect(
            Set(found) == [
                "target.scheme == .http ? \"http,https\" : \"https\"", "\"https\"",
            ])
    }

    @Test(
        "no source file gives libcurl credentials, cookies, HSTS, debug output or decoders [rules 77, 171, 172]",
        arguments: [
            "CURLOPT_USERPWD", "CURLOPT_USERNAME", "CURLOPT_PASSWORD", "CURLOPT_XOAUTH2_BEARER",
            "CURLOPT_HTTPAUTH", "CURLOPT_COOKIE", "CURLOPT_HSTS", "CURLOPT_ALTSVC", "CURLOPT_VERBOSE",
            "CURLOPT_DEBUGFUNCTION", "CURLOPT_STDERR", "CURLOPT_TRANSFER_ENCODING",
            "CURLOPT_DEFAULT_PROTOCOL",
        ])
    func unused(option: String) throws {
        #expect(!(try sources().contains(option)))
    }
}
