"""
Computes every published vector with Python's standard library alone, and prints those that differ.

    python3 check_vectors.py vectors.json
"""

import hashlib
import hmac
import json
import sys
from decimal import Decimal

sys.path.append("examples/modules/languages/python")
from signing import sign
from webhooks import verify


def canonicalize(value):
    """The canonical JSON of a parsed value (RFC 8785); its numbers were parsed as floats."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonicalize(key)}:{canonicalize(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonicalize, value)) + "]"
    if isinstance(value, float):
        return write_number(value)
    return json.dumps(value, ensure_ascii=False)


def write_number(number):
    """As ECMAScript writes it: the shortest digits, in exponents only below 1e-6 and from 1e21 on."""
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if 0 < point <= 21:
        whole, rest = text.ljust(point, "0")[:point], text[point:]
        written = whole + (f".{rest}" if rest else "")
    elif -6 < point <= 0:
        written = "0." + "0" * -point + text
    else:
        rest = f".{text[1:]}" if len(text) > 1 else ""
        written = f"{text[0]}{rest}e{point - 1:+d}"
    return "-" * sign + written


def parse(text):
    return json.loads(text, parse_int=float)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)
differing = []


def check(vector, **computed):
    differing.extend(f"{vector['name']}: {key}" for key in computed if computed[key] != vector[key])


for vector in vectors["canonicalJson"]:
    canonical = canonicalize(parse(vector["json"]))
    check(vector, canonical=canonical, sha256=sha256(canonical))

client = vectors["client"]
for vector in vectors["requests"]:
    body = None if vector["json"] is None else canonicalize(parse(vector["json"]))
    path = vector["target"].split("?")[0]
    parts = [vector["method"], path, sha256(body or ""), str(client["timestamp"]), client["nonce"]]
    to_sign = "\n".join(parts)
    signature = hmac.new(client["appSecret"].encode(), to_sign.encode(), hashlib.sha256).hexdigest()
    check(vector, body=body, stringToSign=to_sign, authorization=f"HMAC {signature}")
    headers = sign(
        client["appId"], client["appSecret"], vector["method"], path, (body or "").encode(), client["timestamp"], client["nonce"]
    )
    check(vector, authorization=headers["Authorization"])

webhook = vectors["webhook"]
for vector in vectors["webhooks"]:
    headers = {
        "X-SVC-Event-Id": webhook["eventId"],
        "X-SVC-Timestamp": str(webhook["timestamp"]),
        "X-SVC-Signature": vector["signature"],
    }
    body = vector["body"].encode()
    check(vector, isValid=verify(webhook["secret"], headers, body, now=webhook["timestamp"]))

checked = sum(len(vectors[kind]) for kind in ("canonicalJson", "requests", "webhooks"))
print(json.dumps({"checked": checked, "differing": differing}))
