import { buffer } from "node:stream/consumers";
import { type RunningServer, serve } from "../../support/serve.ts";

/** What a tunnel does to the requests that pass it; it always names its target as their host. */
export interface TunnelOptions {
	/** @default the path as received */
	rewritePath?: (path: string) => string;
	/** @default the bytes as received */
	rewriteBody?: (body: Buffer) => Uint8Array<ArrayBuffer>;
}

/** Headers that belong to one connection, or to one host. */
const NOT_PASSED = ["host", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** A public address that leads to a server of this machine. */
export function startTunnel(target: string, options: TunnelOptions = {}): Promise<RunningServer> {
	const { rewritePath = (path) => path, rewriteBody = (body) => new Uint8Array(body) } = options;
	return serve(async (request, response) => {
		const { method = "GET", headersDistinct, url = "/" } = request;
		const body = await buffer(request);
		const headers = Object.entries(headersDistinct)
			.filter(([name]) => !NOT_PASSED.includes(name))
			.flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
		const forwarded = await fetch(target + rewritePath(url), {
			method,
			headers,
			...(body.length === 0 ? {} : { body: rewriteBody(body) }),
		});
		response.writeHead(forwarded.status, {
			"Content-Type": forwarded.headers.get("Content-Type") ?? "text/plain",
		});
		response.end(await forwarded.text());
	});
}
