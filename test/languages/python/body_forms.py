"""
Writes each JSON body of a list as Python's json.dumps does, in the forms that profiles name.

    python3 body_forms.py bodies.json
"""

import json
import sys

COMPACT = (",", ":")


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def write(body):
    compact = json.dumps(body, sort_keys=True, separators=COMPACT, ensure_ascii=False)
    return {
        "rfc8785": compact,
        "json": json.dumps(body, separators=COMPACT, ensure_ascii=False),
        "ascii": json.dumps(body, sort_keys=True, separators=COMPACT),
        "ascii_spaced": json.dumps(body, sort_keys=True),
        # As the documentation of Go's encoding/json has it.
        "html_escaped": compact.translate({ord(unit): f"\\u{ord(unit):04x}" for unit in "<>&\u2028\u2029"}),
        "no_nulls": json.dumps(without_nulls(body), sort_keys=True, separators=COMPACT, ensure_ascii=False),
    }


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([write(body) for body in json.load(file)]))
