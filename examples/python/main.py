"""
Plays a contact from Python without an SDK, and prints how your webhook handler responded.

The control of a running gateway is plain HTTP, so the standard library is enough:

    export MESSAGING_GATEWAY_CONTROL_TOKEN=$(openssl rand -hex 16)
    npx messaging-gateway dev --forward-to http://localhost:3000/webhooks
"""

import json
import os
import urllib.error
import urllib.parse
import urllib.request

BASE_URL = os.environ.get("MESSAGING_GATEWAY_BASE_URL", "http://localhost:8080")
TOKEN = os.environ["MESSAGING_GATEWAY_CONTROL_TOKEN"]
VERSION = "1"

ALICE = "+15551234567"
MINUTE_MS = 60_000

# No proxy: the gateway is on this machine, and the token is for it alone.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def control(route, action=None):
    """Reads a route of the control, or performs an action."""
    body = None if action is None else json.dumps(action).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{BASE_URL}/_local/{route}", body, headers)
    try:
        response = opener.open(request)
    except urllib.error.HTTPError as error:
        response = error  # It has headers and a body, like any response.
    except urllib.error.URLError as error:
        raise SystemExit(f"no gateway at {BASE_URL}: {error.reason}")
    with response:
        version = response.headers["Messaging-Gateway-Control"]
        if version != VERSION:
            raise SystemExit(f"version {version} of the control, instead of {VERSION}")
        result = json.load(response)
    if response.status >= 400:
        raise SystemExit("{code}: {message}".format(**result["error"]))
    return result


def act(kind, **fields):
    return control("actions", {"type": kind, **fields})


def write(text):
    act("reply", **{"from": ALICE}, text=text)
    print(f"the contact writes: {text}")


def show_last_webhook():
    filters = {"conversation": ALICE, "kind": "inbound_message", "limit": 1}
    [webhook] = control(f"deliveries?{urllib.parse.urlencode(filters)}")["items"]
    print(f"  its webhook is {webhook['state']}")
    for number, attempt in enumerate(webhook["attempts"], start=1):
        outcome = attempt.get("status", "no response")
        body = attempt.get("response", {}).get("body", "")
        print(f"  attempt {number}: {outcome} {body}".rstrip())


write("Is my table ready?")
act("settle")  # Time moves on until every webhook is delivered or given up.
show_last_webhook()

act("webhook_fault", fault={"kind": "delay", "ms": MINUTE_MS})
print("fault:", *control("faults"))
write("Hello?")
show_last_webhook()

before = control("clock")["offsetMs"]
act("advance_clock", ms=MINUTE_MS)
moved_ms = control("clock")["offsetMs"] - before
print(f"the clock moves forward by {round(moved_ms / 1000)} s")
show_last_webhook()
