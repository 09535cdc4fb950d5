"""The receiver on Python's standard library."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhooks import MAX_BYTES, receive


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        # Read to its end: read1() would return what has arrived so far.
        status = 413 if length > MAX_BYTES else receive(self.headers, self.rfile.read(length))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
