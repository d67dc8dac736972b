#!/usr/bin/python3
"""Holds traces against the JSON Schema of flowrun, and against what no schema can say.

    Tests/EndToEnd/trace.py SCHEMA FILE...

Needs python3-jsonschema.
"""

import json
import sys

import jsonschema


def main():
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in sys.argv[2:]:
        events = [json.loads(line) for line in open(name)]
        for event in events:
            for error in validator.iter_errors(event):
                sys.exit(f"{name}: event {event['seq']}: {error.message}")
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1)), f"{name}: gaps"
        assert events[0]["type"] == "run.start", f"{name}: begins with {events[0]['type']}"
        assert events[-1]["type"] == "run.end", f"{name}: ends with {events[-1]['type']}"
        assert len({event["run"] for event in events}) == 1, f"{name}: several runs"


main()
