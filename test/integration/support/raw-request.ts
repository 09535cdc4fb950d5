import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** Sends a request with headers and a path that `fetch` would set itself, or normalise. */
export async function sendRaw(
	url: string,
	headers: Readonly<Record<string, string>>,
	path?: string,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
	const sent = request(url, { headers, agent: false, ...(path === undefined ? {} : { path }) });
	sent.end();
	const [response]: IncomingMessage[] = await once(sent, "response");
	if (response === undefined) throw new Error("there was no response");
	return { status: response.statusCode, body: await text(response) };
}
