"""Receives webhooks of the messaging gateway: each event is verified, and processed once."""

import hashlib
import hmac
import json
import os
import re
import threading
import time

MAX_BYTES = 1024 * 1024
TOLERANCE_SECONDS = 300


def verify(secret, headers, body, now=None):
    """Whether the raw bytes of a body are signed. `headers` must find a name in any case."""
    timestamp = headers.get("X-SVC-Timestamp", "")
    if not headers.get("X-SVC-Event-Id") or not re.fullmatch("[1-9][0-9]{0,11}", timestamp):
        return False
    if abs((now or time.time()) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    expected = f"v1={digest.hexdigest()}".encode()
    given = headers.get("X-SVC-Signature", "").split(",")
    return any(hmac.compare_digest(one.strip().lower().encode(), expected) for one in given)


lock = threading.Lock()
bound_ids = {}
done = set()


def receive(headers, body):
    """Returns the status of the response."""
    if not verify(os.environ["MESSAGING_GATEWAY_WEBHOOK_SECRET"], headers, body):
        return 401
    try:
        event = json.loads(body)
    except ValueError:
        return 400
    # For one process. Several share a table with a unique key.
    with lock:
        # The signature does not cover the id, so a copy under another id is the same event.
        digest = hashlib.sha256(headers["X-SVC-Timestamp"].encode() + body).digest()
        event_id = bound_ids.setdefault(digest, headers["X-SVC-Event-Id"])
        if event_id not in done:
            process(event)
            done.add(event_id)
    return 200


def process(event):
    print("processed:", event.get("type", "status"), flush=True)
