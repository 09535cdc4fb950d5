"""The receiver on Flask."""

from flask import Flask, request
from webhooks import MAX_BYTES, receive

app = Flask(__name__)


@app.post("/webhooks")
def webhooks():
    if (request.content_length or 0) > MAX_BYTES:
        return "", 413
    return "", receive(request.headers, request.get_data())
