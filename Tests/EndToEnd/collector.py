#!/usr/bin/python3
"""A collector of OpenTelemetry spans: takes one export after the other and writes it down.

    Tests/EndToEnd/collector.py FILE

Prints its endpoint. Answers 400 to what is no ExportTraceServiceRequest in JSON.
"""

import http.server
import json
import sys


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200 if self.takes(body) else 400
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def takes(self, body):
        try:
            spans = [
                span
                for resource in json.loads(body)["resourceSpans"]
                for scope in resource["scopeSpans"]
                for span in scope["spans"]
            ]
            good = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json"
            good = good and spans and all(int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"]) for span in spans)
        except (KeyError, ValueError, TypeError):
            return False
        with open(sys.argv[1], "a") as file:
            for name, value in self.headers.items():
                file.write(f"{name.lower()}: {value}\n")
            file.write(body.decode() + "\n")
        return good

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
