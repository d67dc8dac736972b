import Glibc
import JOSE
import OAuthProtocol
import Testing

@testable import FlowLive

/// Two authorities, an intermediate one, and the certificates they issued, made by the openssl command.
///
/// `root` issued `middle`, which issued `leaf`, `twin` (same names, another key), `late` and `named`; `other`, which is
/// trusted as well, issued `rogue` for the same host. `client` is a client's certificate.
struct TestChains: Sendable {
    @TaskLocal static var ofSuite: TestChains?

    let directory = TemporaryDirectory()

    /// Trusts both authorities.
    var authorities: String { "\(directory.path)/both.pem" }

    init() async throws {
        try await shell(
            """
            \(expiredCertificate)
            umask 077
            key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -x509"
            root() { openssl req $key -keyout $1.key -out $1.crt -days 400 -subj "/CN=$1 CA"; }
            root root; root other; root clients
            cat root.crt other.crt > both.pem
            issue() {
                openssl req $key -keyout $1.key -out $1.own -subj "/CN=$1/O=Test" -days $4 -CA $3.crt -CAkey $3.key \
                    -addext "$2"
                cat $1.own $3.crt > $1.crt
            }
            issue middle basicConstraints=critical,CA:TRUE root 400
            for name in leaf twin; do issue $name subjectAltName=IP:127.0.0.1,DNS:localhost middle 200; done
            issue late subjectAltName=IP:127.0.0.1 middle 10
            issue named subjectAltName=DNS:elsewhere.example middle 200
            issue rogue subjectAltName=IP:127.0.0.1 other 200
            issue client subjectAltName=DNS:client.example clients 200
            openssl req -new -key leaf.key -subj /CN=gone -addext subjectAltName=IP:127.0.0.1 -out gone.csr
            issue_expired gone middle
            cat gone.own middle.crt > gone.crt
            cp leaf.key gone.key
            openssl req $key -keyout alone.key -out alone.crt -days 200 -subj /CN=alone \
                -addext subjectAltName=IP:127.0.0.1
            for name in root middle leaf twin late gone named alone client; do
                openssl pkey -in $name.key -pubout -outform DER | openssl dgst -sha256 -binary | base64 > $name.keypin
                openssl x509 -in $name.crt -outform DER | openssl dgst -sha256 -binary | base64 > $name.pin
            done
            """, in: directory.path)
    }

    func text(_ file: String) throws -> String {
        let bytes = try PrivateFile.read("\(directory.path)/\(file)", limit: 1 << 16)
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    /// As the openssl command computes it.
    func keyPin(_ name: String, expiresAt: Int64? = nil) throws -> CertificatePin {
        try pin("\(name).keypin", expiresAt)
    }

    func certificatePin(_ name: String) throws -> CertificatePin { try pin("\(name).pin", nil) }

    private func pin(_ file: String, _ expiresAt: Int64?) throws -> CertificatePin {
        try CertificatePin(
            "sha256/" + String(try text(file).filter { !$0.isWhitespace }), expiresAt: expiresAt)
    }

    func clientCertificate(_ name: String = "client", key: String? = nil) throws -> ClientCertificate {
        ClientCertificate(
            chain: Secret(try text("\(name).crt"), kind: .other),
            key: Secret(try text("\(key ?? name).key"), kind: .other))
    }
}

/// Makes the chains once for all tests of a suite.
struct WithChains: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestChains.$ofSuite.withValue(try await TestChains(), operation: function)
    }
}

/// A TLS server with kept-alive connections in a child process; ends with this object.
///
/// Answers `CONNECTION REQUEST CLIENT`: the number of the connection, of its request, and the subject of the client's
/// certificate or `-`. A path `/grant/TOKEN` answers an access token: that text, or the subject.
final class ChainServer {
    enum Mode: String {
        case plain, demand
        /// TLS 1.2 at most.
        case old
        case oldDemand = "old-demand"
    }

    let port: UInt16
    private let control: UInt16
    private let child: SpawnedProcess

    private static let program = """
        import os, socket, ssl, sys, threading
        name, mode = sys.argv[1], sys.argv[2]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(name + ".crt", name + ".key")
        if "old" in mode: context.maximum_version = ssl.TLSVersion.TLSv1_2
        if "demand" in mode:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations("clients.crt")
        seen = {"connections": 0, "bytes": 0}
        def serve(plain):
            raw = socket.socket(fileno=os.dup(plain.fileno()))
            try:
                connection = context.wrap_socket(plain, server_side=True)
                seen["connections"] += 1
                number, requests, data = seen["connections"], 0, b""
                peer = connection.getpeercert()
                client = dict(pair[0] for pair in peer["subject"])["commonName"] if peer else "-"
                while True:
                    piece = connection.recv(65536)
                    if not piece: break
                    seen["bytes"] += len(piece)
                    data += piece
                    while b"\\r\\n\\r\\n" in data:
                        head, data = data.split(b"\\r\\n\\r\\n", 1)
                        path = head.split(b" ", 2)[1].decode()
                        requests += 1
                        body = "%d %d %s" % (number, requests, client)
                        if path.startswith("/grant/"):
                            body = '{"access_token": "%s", "token_type": "Bearer"}' % (path[7:] or client)
                        kind = b"application/json" if body[0] == "{" else b"text/plain"
                        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: %s\\r\\nContent-Length: %d\\r\\n\\r\\n%s"
                            % (kind, len(body), body.encode()))
            except (OSError, ssl.SSLError):
                # What is left unread would turn the end into a reset, which overtakes the alert.
                raw.shutdown(socket.SHUT_WR)
                while raw.recv(65536): pass
            finally: raw.close()
        def report(listening):
            while True:
                caller = listening.accept()[0]
                caller.sendall(b"%d" % seen["bytes"])
                caller.close()
        server = socket.create_server(("127.0.0.1", 0))
        control = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=report, args=(control,), daemon=True).start()
        print(server.getsockname()[1], control.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
        """

    init(_ chains: TestChains, _ name: String, _ mode: Mode = .plain) throws {
        guard let pipe = FileDescriptor.pipe(), let null = FileDescriptor.nullDevice() else {
            throw NoServer()
        }
        child = try SpawnedProcess.start(
            SpawnPlan(
                program: "/usr/bin/env",
                arguments: [
                    "env", "-C", chains.directory.path, "python3", "-c", Self.program, name, mode.rawValue,
                ],
                environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")], input: null.number,
                output: pipe.writing.number, errors: null.number))
        var line = [UInt8](repeating: 0, count: 32)
        let count = read(pipe.reading.number, &line, line.count)
        let text = String(decoding: line.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
        let ports = text.split(separator: " ").compactMap { UInt16($0) }
        guard ports.count == 2 else { throw NoServer() }
        (port, control) = (ports[0], ports[1])
    }

    deinit {
        child.signalGroup(SIGKILL)
        _ = child.reap()
    }

    var origin: String { "https://127.0.0.1:\(port)" }
    var url: String { origin + "/token" }

    /// How many bytes of requests have been read.
    var bytesSeen: Int { Int(Socket(connectingTo: control).receiveAll()) ?? -1 }

    struct NoServer: Error {}
}
