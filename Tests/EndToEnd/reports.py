"""Reads reports with what other people read them with.

    Tests/EndToEnd/reports.py har|otlp FILE...

Needs haralyzer, opentelemetry-proto and protobuf (PyPI).
"""

import base64
import json
import sys


def har(text):
    from haralyzer import HarParser

    pages = HarParser(json.loads(text)).pages
    for page in pages:
        for entry in page.entries:
            assert entry.request.url and entry.startTime, entry
            assert entry.time >= 0 and entry.request.method, entry
    return sum(len(page.entries) for page in pages)


def otlp(text):
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = json.loads(text)
    spans = [span for resource in request["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]
    for span in spans:
        # OTLP has identifiers in hexadecimal where the mapping of Protocol Buffers has base64.
        for name, size in (("traceId", 16), ("spanId", 8), ("parentSpanId", 8)):
            if name in span:
                data = bytes.fromhex(span[name])
                assert len(data) == size, span
                span[name] = base64.b64encode(data).decode()
        # It has enumerations as numbers and 64-bit numbers as texts.
        assert isinstance(span["kind"], int) and isinstance(span["startTimeUnixNano"], str), span
    json_format.ParseDict(request, ExportTraceServiceRequest())
    return len(spans)


def main():
    read = {"har": har, "otlp": otlp}[sys.argv[1]]
    for path in sys.argv[2:]:
        with open(path) as file:
            count = read(file.read())
        print(f"{path}: {count}")
        assert count > 0, path


main()
