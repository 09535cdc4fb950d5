/** The server of the clients: it is told an answer, says its port, and answers every request with that. */
import { createServer } from "node:http";

process.once("message", (answer: string) => {
	const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(answer) };
	const server = createServer((request, response) => {
		request.resume().once("end", () => response.writeHead(200, headers).end(answer));
	});
	// Longer than a slice of another client, so that no connection ends in between.
	server.keepAliveTimeout = 60_000;
	server.listen(0, "127.0.0.1", () => {
		const address = server.address();
		if (typeof address === "object") process.send?.(address?.port);
	});
});
process.once("disconnect", () => process.exit());
