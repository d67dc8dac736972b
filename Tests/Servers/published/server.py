#!/usr/bin/env python3
"""What a provider publishes, over TLS on the loopback address, with entity tags.

    server.py FOLDER

Makes FOLDER/ca.pem with a certificate for 127.0.0.1, prints the issuer and serves until it is ended. FOLDER/changes.json,
read anew for each request, changes the metadata: {"token_endpoint": "https://..."}, null removes a member. FOLDER/headers.json
holds further header fields. FOLDER/status holds the status of a server that is not well. FOLDER/requests gets a line for
each request: method, path, status.
"""
import hashlib, http.server, json, os, ssl, subprocess, sys, threading, time

folder = sys.argv[1]
place = lambda name: os.path.join(folder, name)


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)


def certificate():
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test CA")
    openssl("req", *key, "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf")
    with open(place("san"), "w") as file:
        file.write("subjectAltName=IP:127.0.0.1")
    openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "san", "-out", "leaf.pem")


def read(name, otherwise):
    try:
        with open(place(name)) as file:
            return json.load(file)
    except FileNotFoundError:
        return otherwise


def metadata(issuer):
    document = {
        "issuer": issuer,
        **{name: f"{issuer}/{path}" for name, path in [
            ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("userinfo_endpoint", "userinfo"),
            ("jwks_uri", "keys"), ("revocation_endpoint", "revoke")]},
        "scopes_supported": ["openid", "email", "profile"],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "subject_types_supported": ["public"],
    }
    document.update(read("changes.json", {}))
    return {name: value for name, value in document.items() if value is not None}


# The key of RFC 7517 appendix A.1.
KEYS = {"keys": [{
    "kty": "EC", "crv": "P-256", "use": "sig", "kid": "1", "alg": "ES256",
    "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        issuer = f"https://127.0.0.1:{self.server.server_port}"
        path = self.path.split("?")[0]
        status = read("status", 200)
        if status != 200:
            return self.answer(status, b"")
        if path == "/.well-known/openid-configuration":
            return self.document(metadata(issuer))
        if path == "/keys":
            return self.document(KEYS)
        # As real servers have it: what is asked by another method than its own is not there.
        self.answer({"/authorize": 400, "/userinfo": 401}.get(path, 404), b"")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path in ("/token", "/revoke"):
            return self.answer(401, b"")
        self.do_GET()

    do_HEAD = do_GET

    def document(self, value):
        body = json.dumps(value).encode()
        tag = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
        fields = {"ETag": tag, "Content-Type": "application/json", **read("headers.json", {})}
        if self.headers.get("If-None-Match") == tag:
            return self.answer(304, b"", fields)
        self.answer(200, body, fields)

    def answer(self, status, body, fields={}):
        with open(place("requests"), "a") as file:
            file.write(f"{self.command} {self.path} {status}\n")
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def end_with(parent):
    """A test that is killed leaves no server behind."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
if not os.path.exists(place("leaf.pem")):
    certificate()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(place("leaf.pem"), place("leaf.key"))
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"https://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
