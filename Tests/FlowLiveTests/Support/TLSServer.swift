import Glibc
import Testing

@testable import FlowLive

/// An authority and the certificates it issued, made by the openssl command.
struct TestCertificates: Sendable {
    /// Those of the running suite; making them takes a while.
    @TaskLocal static var ofSuite: TestCertificates?

    let directory = TemporaryDirectory()

    var authority: String { "\(directory.path)/ca.crt" }

    init() async throws {
        try await shell(
            """
            \(expiredCertificate)
            key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            openssl req -x509 $key -keyout ca.key -out ca.crt -days 2 -subj "/CN=Test CA"
            openssl req $key -keyout leaf.key -out leaf.csr -subj "/CN=leaf"
            issue() {
                echo "subjectAltName=$2" > san
                openssl x509 -req -in leaf.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile san -out $1.pem
            }
            issue good IP:127.0.0.1
            issue other DNS:other.example
            openssl req -new -key leaf.key -subj /CN=leaf -addext subjectAltName=IP:127.0.0.1 -out expired.csr
            issue_expired expired ca
            mv expired.own expired.pem
            openssl req -x509 -key leaf.key -out selfsigned.pem -days 2 -subj "/CN=self" -addext subjectAltName=IP:127.0.0.1
            """, in: directory.path)
    }
}

/// Makes the certificates once for all tests of a suite.
struct WithCertificates: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestCertificates.$ofSuite.withValue(try await TestCertificates(), operation: function)
    }
}

/// A TLS server in a child process; ends with this object.
final class TLSServer {
    let port: UInt16
    private let child: SpawnedProcess

    /// Answers each connection's first request and closes after it has read a second one; as a proxy, for the host that
    /// the connection asks for.
    private static let program = """
        import socket, ssl, sys, threading
        count = 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        if sys.argv[3] == "old":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        server = socket.create_server(("127.0.0.1", 0))
        print(server.getsockname()[1], flush=True)
        def read(connection):
            global count
            data = b""
            while b"end" not in data:
                piece = connection.recv(65536)
                if not piece: return False
                data += piece
            count += 1
            return True
        def serve(plain):
            try:
                if sys.argv[3] == "proxy":
                    while b"\\r\\n\\r\\n" not in plain.recv(65536): pass
                    plain.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                connection = context.wrap_socket(plain, server_side=True)
                if read(connection):
                    body = str(count).encode()
                    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
                    read(connection)
                connection.close()
            except (OSError, ssl.SSLError):
                plain.close()
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
        """

    init(_ certificates: TestCertificates, _ name: String, _ mode: String = "new") throws {
        guard let pipe = FileDescriptor.pipe(), let null = FileDescriptor.nullDevice() else {
            throw NoDescriptors()
        }
        let directory = certificates.directory.path
        child = try SpawnedProcess.start(
            SpawnPlan(
                program: "/usr/bin/env",
                arguments: [
                    "env", "python3", "-c", Self.program, "\(directory)/\(name).pem", "\(directory)/leaf.key",
                    mode,
                ],
                environment: [("PATH", "/usr/local/bin:/usr/bin:/bin")], input: null.number,
                output: pipe.writing.number, errors: null.number))
        var line = [UInt8](repeating: 0, count: 16)
        let count = read(pipe.reading.number, &line, line.count)
        let text = String(decoding: line.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
        guard let port = UInt16(text) else { throw NoDescriptors() }
        self.port = port
    }

    deinit {
        child.signalGroup(SIGKILL)
        _ = child.reap()
    }

    var url: String { "https://127.0.0.1:\(port)/" }
    var proxyURL: String { "http://127.0.0.1:\(port)" }

    struct NoDescriptors: Error {}
}
