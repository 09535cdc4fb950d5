"""Signs requests to the messaging gateway."""

import hashlib
import hmac
import time
import uuid


def sign(app_id, secret, method, path, body=b"", timestamp=None, nonce=None):
    """The headers of a request whose body are these canonical bytes; the path has no query."""
    timestamp = str(timestamp or round(time.time() * 1000))
    nonce = nonce or str(uuid.uuid4())
    parts = [method, path, hashlib.sha256(body).hexdigest(), timestamp, nonce]
    signature = hmac.new(secret.encode(), "\n".join(parts).encode(), hashlib.sha256).hexdigest()
    headers = {"X-App-Id": app_id, "X-Timestamp": timestamp, "X-Nonce": nonce, "Authorization": f"HMAC {signature}"}
    return {**headers, "Content-Type": "application/json"} if body else headers
