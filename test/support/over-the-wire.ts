import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CustomFetch, FetchInit, FetchResponse } from "messaging-gateway";

/** What the server responds with, by its path. */
const responses = new Map<string, Response>();
let starting: Promise<string> | undefined;

/** One server for all tests of a worker, which does not keep it from ending. */
function startOnce(): Promise<string> {
	starting ??= (async () => {
		const server = createServer({ keepAliveTimeout: 0 }, async (request, outgoing) => {
			request.resume();
			const { url = "" } = request;
			const response = responses.get(url);
			responses.delete(url);
			if (response === undefined) return void outgoing.destroy();
			outgoing.sendDate = false;
			outgoing.writeHead(response.status, response.statusText, [...response.headers].flat());
			outgoing.flushHeaders();
			try {
				// What was written before a body breaks has left.
				for await (const chunk of response.body ?? [])
					await new Promise((written) => outgoing.write(chunk, written));
				outgoing.end();
			} catch {
				outgoing.destroy();
			}
		});
		server.listen(0, "127.0.0.1").unref();
		await once(server, "listening");
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	})();
	return starting;
}

/** Gets a response of a test from a real server, through a transport. Some responses cannot be sent, and are as they are. */
export async function sendOverTheWire(
	transport: CustomFetch,
	init: FetchInit,
	response: Response,
): Promise<FetchResponse> {
	if (!(response instanceof Response) || response.status < 200 || response.bodyUsed) return response;
	// Only bytes can be sent, and as many as are announced.
	const announced = response.headers.get("Content-Length");
	if (announced !== null) return response;
	const path = `/${randomUUID()}`;
	responses.set(path, response);
	return transport((await startOnce()) + path, init);
}
