#!/usr/bin/python3
"""Holds flow files against the JSON Schema of flowrun.

    Tests/EndToEnd/schema.py SCHEMA accepts|refuses FILE...

Needs python3-jsonschema and python3-yaml.
"""

import sys

import jsonschema
import json
import yaml


class FlowLoader(yaml.SafeLoader):
    """Reads scalars as flow/1 does: YAML 1.2 core schema, no dates, no other booleans."""


FlowLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("tag:yaml.org,2002:bool", r"^(?:true|false)$", "tf"),
    ("tag:yaml.org,2002:null", r"^(?:null|)$", ["n", ""]),
    ("tag:yaml.org,2002:int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"),
    ("tag:yaml.org,2002:float", r"^-?(?:0|[1-9][0-9]*)\.[0-9]+$", "-0123456789"),
]:
    FlowLoader.add_implicit_resolver(tag, __import__("re").compile(pattern), list(first))


def main():
    schema_file, wish, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(schema_file) as stream:
        schema = json.load(stream)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = 0
    for file in files:
        with open(file) as stream:
            flow = yaml.load(stream, FlowLoader)
        errors = [f"{'/'.join(map(str, e.path))}: {e.message[:200]}" for e in validator.iter_errors(flow)]
        if bool(errors) == (wish == "refuses"):
            continue
        failed += 1
        print(f"{file}: the schema {'accepts it' if not errors else 'refuses it'}")
        for error in errors:
            print(f"  {error}")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
