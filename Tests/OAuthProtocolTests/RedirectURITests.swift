import OAuthProtocol
import Testing

@Suite("Redirect URIs (RFC 6749 §3.1.2, RFC 8252 §7)")
struct RedirectURITests {
    @Test(
        "a page, a port of this machine and a scheme of a program's own take answers",
        arguments: [
            "https://app.example/callback", "http://127.0.0.1:8080/", "http://localhost/callback",
            "com.example.app:/callback", "com.example.app://host/path?a=b", "A-1+b:x",
        ])
    func good(text: String) {
        #expect(RedirectURI.problem(with: text) == nil)
    }

    @Test(
        "nobody is sent to what belongs to others, or says nothing",
        arguments: [
            ("", EndpointURLProblem.notAbsolute.rawValue),
            ("callback", EndpointURLProblem.notAbsolute.rawValue),
            ("1app:/x", EndpointURLProblem.notAbsolute.rawValue),
            ("my_app:/x", EndpointURLProblem.notAbsolute.rawValue),
            ("http://app.example/", EndpointURLProblem.insecure.rawValue),
            ("HTTPS://app.example/#x", EndpointURLProblem.fragment.rawValue),
            ("javascript:alert(1)", "has a scheme that belongs to others"),
            ("Mailto:a@app.example", "has a scheme that belongs to others"),
            ("com.example.app:/x#y", EndpointURLProblem.fragment.rawValue),
            ("com.example.app:/x y", EndpointURLProblem.character.rawValue),
            ("com.example.app:/x\u{7F}", EndpointURLProblem.character.rawValue),
            ("com.example.app:/é", EndpointURLProblem.character.rawValue),
            ("com.example.app:/{x}", EndpointURLProblem.character.rawValue),
            ("com.example.app:", "ends after its scheme"),
            (
                "localhost:8080/callback",
                "begins with a host and a port: write http:// or https:// before them"
            ),
            ("app.example:8443", "begins with a host and a port: write http:// or https:// before them"),
        ])
    func refused(text: String, problem: String) {
        #expect(RedirectURI.problem(with: text) == problem)
    }

    @Test(
        "native is what leads to a port of this machine or a scheme of a program's own",
        arguments: [
            ("http://127.0.0.1:8400/callback", true), ("http://[::1]/", true), ("HTTP://localhost/a", true),
            ("com.example.app:/callback", true), ("http://app.example/callback", false),
            ("https://127.0.0.1/callback", false), ("https://app.example/", false), ("mailto:a@b", false),
            ("1app:/", false), ("http://", false),
        ])
    func native(text: String, isNative: Bool) {
        #expect(RedirectURI.isNative(text) == isNative)
    }
}
