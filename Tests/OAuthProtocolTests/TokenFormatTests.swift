import JOSE
import OAuthProtocol
import Testing

@Suite("Formats of token responses")
struct TokenFormatTests {
    @Test("a page is named by its type and title")
    func page() {
        let html = "<!doctype html><TITLE lang=en>\u{202E}Log\u{1B}in &amp;\n more</TITLE>"
        let detail = "text/html, not JSON: a page with the title 'Login &amp; more'"
        let result = failure { log throws(ProtocolError) in
            try TokenResponse.read(
                Fixture.response(html, type: "Text/HTML; charset=utf-8"), dialect: .standard, log: &log)
        }
        #expect(result.error == .malformed("token response", detail: detail))
        #expect(
            result.log.verdict(Checks.tokenContentType) == .failed(expected: "token response", actual: detail)
        )
    }

    @Test("JSON under another type is read, and the trace says so [rule 87]")
    func otherType() {
        for (type, shown) in [
            ("text/plain", "text/plain"), ("text/html", "text/html"), (nil, "no content type"),
        ] {
            let result = failure { log throws(ProtocolError) in
                try TokenResponse.read(
                    Fixture.response(TokenAnswer.body(), type: type), dialect: .standard, log: &log)
            }
            #expect(result.error == nil)
            #expect(
                result.log.verdict(Checks.tokenContentType)
                    == .notApplicable("sent as \(shown), but the body can be read"))
        }
    }

    @Test("a form is read where the type or the body says so")
    func form() throws {
        let text = "access_token=a%2Bt&token_type=bearer&expires_in=60&scope=a+b"
        for (type, format) in [
            ("application/x-www-form-urlencoded", .auto), ("text/plain", .auto), (nil, .auto),
            ("text/html", .form),
        ] as [(String?, ResponseDialect.Format)] {
            let response = try TokenAnswer.read(
                Fixture.response(text, type: type), dialect: ResponseDialect(format: format))
            #expect(response.accessToken.reveal() == "a+t")
            #expect(response.expiresIn == 60)
            #expect(response.scopes == ["a", "b"])
        }
        #expect(
            TokenAnswer.refused(Fixture.response("access_token=a&access_token=b", type: FormBody.contentType))
                == .malformed(
                    "token response",
                    detail: "application/x-www-form-urlencoded, not a form with every name once"))
        #expect(
            TokenAnswer.refused(
                Fixture.response(
                    "error=access_denied&error_description=no+way", status: 400, type: "text/plain"))
                == .rejected(OAuthError(code: "access_denied", description: "no way"), status: 400))
    }

    @Test("duplicate members, trailing data, excess depth and wrong UTF-8 are refused [rule 97]")
    func json() {
        for (text, words) in [
            (#"{"access_token":"a","access_token":"b"}"#, "member access_token is there twice at byte 20"),
            (#"{} {}"#, "something follows the value at byte 3"),
            (#"{"a":"#, "the text ends early at byte 5"),
        ] {
            #expect(
                TokenAnswer.refused(Fixture.response(text))
                    == .malformed("token response", detail: "application/json, not JSON: \(words)"))
        }
        #expect(
            TokenAnswer.refused(Fixture.response("\u{FEFF}{}"), dialect: ResponseDialect(format: .json))
                == .malformed(
                    "token response",
                    detail: "application/json, not JSON: begins with a byte order mark at byte 0"))
        #expect(
            TokenAnswer.refused(Fixture.response("[]"))
                == .malformed("token response", detail: "the body is not a JSON object"))
    }

    @Test("a form with more members than any token response has is refused")
    func longForm() {
        let text = (0...1000).map { "a\($0)=1" }.joined(separator: "&")
        #expect(
            TokenAnswer.refused(Fixture.response(text, type: FormBody.contentType))
                == .malformed(
                    "token response",
                    detail: "application/x-www-form-urlencoded, not a form with every name once"))
    }

    @Test("no prefix and no changed byte of an answer traps")
    func truncations() {
        let bytes = Array(TokenAnswer.body([("id_token", "idt"), ("nested", ["a": [1, 2.5, nil]])]).utf8)
        for end in 0..<bytes.count {
            let response = HTTPResponse(status: 200, body: Array(bytes[..<end]))
            #expect(TokenAnswer.refused(response) != nil)
            var changed = bytes
            changed[end] = changed[end] ^ 0x15
            let types = ["application/json", "text/plain", FormBody.contentType]
            for type in types {
                let fields = [HTTPField("Content-Type", type)]
                _ = TokenAnswer.refused(HTTPResponse(status: 200, fields: fields, body: changed))
                _ = TokenAnswer.refused(HTTPResponse(status: 400, fields: fields, body: changed))
            }
        }
    }
}
