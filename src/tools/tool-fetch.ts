import { platformFetch } from "../library/runtime.ts";
import { isLoopback } from "../library/signing/loopback.ts";
import { type EnvironmentProxy, findEnvironmentProxy } from "./environment-proxy.ts";
import { type ClientResponse, findNodeClient } from "./node-process.ts";

/**
 * The platform's `fetch`, except that a request to this machine does not go through a proxy of the environment: the
 * proxy would look for `localhost` on its own machine.
 */
export function toolFetch(url: string, init: RequestInit): Promise<Response> {
	const target = new URL(url);
	const isMisled = findEnvironmentProxy(target) !== undefined && toolProxy(target) === undefined;
	return isMisled ? fetchDirectly(url, init) : platformFetch(url, init);
}

/** The proxy of the environment through which {@link toolFetch} requests a URL. */
export function toolProxy(url: URL): EnvironmentProxy | undefined {
	return isLoopback(url.hostname) ? undefined : findEnvironmentProxy(url);
}

/** A body is not allowed in a response with one of these. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Requests a URL without any proxy, over a connection of its own. Like `fetch`, except that redirects are never followed;
 * where `node:http` is missing, it is `fetch`.
 */
export async function fetchDirectly(url: string, init: RequestInit): Promise<Response> {
	const client = findNodeClient(new URL(url).protocol);
	if (client === undefined) return platformFetch(url, init);
	const request = new Request(url, init);
	const { signal } = request;
	signal.throwIfAborted();
	const body = new Uint8Array(await request.arrayBuffer());
	const headers = { accept: "*/*", "user-agent": "node", ...Object.fromEntries(request.headers) };
	let message: ClientResponse;
	try {
		message = await new Promise<ClientResponse>((resolve, reject) => {
			// The shared agent of Node has the proxy of the environment.
			client
				.request(url, { method: request.method, headers, agent: false, signal }, resolve)
				.on("error", reject)
				.end(body);
		});
	} catch (error) {
		signal.throwIfAborted();
		throw new TypeError("fetch failed", { cause: error });
	}
	const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
	if (init.redirect === "error" && status >= 300 && status < 400 && status !== 304) {
		message.destroy();
		throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
	}
	const hasBody = !WITHOUT_BODY.includes(status) && request.method !== "HEAD";
	if (!hasBody) message.resume();
	return new Response(hasBody ? toStream(message, signal) : null, {
		status,
		statusText,
		headers: rawHeaders.flatMap((name, at): [string, string][] =>
			at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""]] : [],
		),
	});
}

/** The bytes of a response as a stream of the web. */
function toStream(message: ClientResponse, signal: AbortSignal): ReadableStream<Uint8Array> {
	const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
	return new ReadableStream({
		async pull(controller) {
			try {
				const { done, value } = await chunks.next();
				if (done) controller.close();
				else controller.enqueue(new Uint8Array(value));
			} catch (error) {
				controller.error(signal.aborted ? signal.reason : error);
			}
		},
		cancel() {
			message.destroy();
		},
	});
}
