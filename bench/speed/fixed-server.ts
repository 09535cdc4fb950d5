/** The server of the clients: it receives a response body, sends its port, and responds to every request with it. */
import { createServer } from "node:http";

process.once("message", (body: string) => {
	const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
	const server = createServer((request, response) => {
		request.resume().once("end", () => response.writeHead(200, headers).end(body));
	});
	// Longer than a slice of another client, so that no connection ends in between.
	server.keepAliveTimeout = 60_000;
	server.listen(0, "127.0.0.1", () => {
		const address = server.address();
		if (typeof address === "object") process.send?.(address?.port);
	});
});
process.once("disconnect", () => process.exit());
