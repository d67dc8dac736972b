#!/usr/bin/env python3
"""Serves what programs with a token call: an API, a git repository, a registry, the API of a cluster.

    resource.py LOG USERINFO FOLDER [CERTIFICATE]

Prints its port. A token is good when USERINFO, an address of the provider, takes it. Every request is a line of LOG:
method, path and status, with the scheme of its credentials. Serves the files of FOLDER, over TLS with a CERTIFICATE, a
PEM file with its key.
"""
import base64, http.server, json, os, ssl, sys, time, urllib.error, urllib.request

log, userinfo, folder = open(sys.argv[1], "a", buffering=1), sys.argv[2], sys.argv[3]
refused = set()


def is_good(token):
    request = urllib.request.Request(userinfo, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", kind="text/plain", fields=()):
        scheme = self.headers.get("Authorization", "none").split()[0]
        log.write(f"{self.command} {self.path} {status} {scheme}\n")
        self.send_response(status)
        # Older clients take no server for a registry that does not say so.
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def token(self):
        scheme, _, rest = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Bearer":
            return rest
        if scheme == "Basic":
            return base64.b64decode(rest).decode().partition(":")[2]
        return None

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path.split("?")[0]
        token = self.token()
        if path == "/redirect":
            return self.answer(302, fields=[("Location", "http://127.0.0.1:9/elsewhere")])
        if path == "/slow":
            log.write("GET /slow 100 Bearer\n")
            return time.sleep(60)
        scheme = "Basic" if path.startswith(("/git/", "/v2/")) else "Bearer"
        challenge = [("WWW-Authenticate", f'{scheme} realm="test"')]
        if path == "/dead":
            return self.answer(401, b"dead", fields=[("WWW-Authenticate", 'Bearer error="invalid_token"')])
        if path == "/scope":
            return self.answer(403, b"no", fields=[("WWW-Authenticate", 'Bearer error="insufficient_scope"')])
        # Each token is refused once: what comes back must be another.
        if path == "/once" and not refused:
            refused.add(token)
        if token is None or token in refused or not is_good(token):
            return self.answer(401, b"who are you?", fields=challenge)
        if path == "/binary":
            return self.answer(200, bytes(range(256)), "application/octet-stream")
        if path.startswith("/v2/"):
            manifest = {
                "schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
                "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": 2,
                           "digest": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
                "layers": [],
            }
            if "/manifests/" in path:
                return self.answer(200, json.dumps(manifest).encode(), manifest["mediaType"])
            if "/blobs/" in path:
                return self.answer(200, b"{}", "application/octet-stream")
            return self.answer(200, b"{}", "application/json")
        if path == "/version":
            return self.answer(200, json.dumps({"major": "1", "minor": "30", "gitVersion": "v1.30.0"}).encode(),
                               "application/json")
        if path.startswith("/git/"):
            name = os.path.join(folder, os.path.normpath(path[5:]))
            if not os.path.isfile(name):
                return self.answer(404)
            with open(name, "rb") as file:
                return self.answer(200, file.read(), "application/octet-stream")
        told = {"method": self.command, "body": body.decode(), "type": self.headers.get("Content-Type"),
                "extra": self.headers.get("X-Extra")}
        self.answer(404 if path == "/missing" else 200, json.dumps(told).encode(), "application/json")

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = serve


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
