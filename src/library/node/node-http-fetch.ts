import { channel } from "node:diagnostics_channel";
import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
import { WRITTEN } from "../client/written.ts";
import { loadBuiltin } from "../host.ts";
import { systemClock } from "../runtime.ts";
import { type Bytes, viewBytes } from "../signing/bytes.ts";
import { ACCEPTED_CODINGS, decodeBody } from "./decode-body.ts";
import { HeaderLines } from "./header-lines.ts";
import { DEFAULT_IDLE_MS, honorKeepAlive, readKeepAlive } from "./idle-connections.ts";
import { StreamReader } from "./stream-reader.ts";

/** How long a connection may take, as with Node's `fetch`. An attempt that ended meanwhile would be of unknown outcome. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Headers that belong to the connection, which `fetch` rejects as well. */
const OF_CONNECTION = /^(content-length|transfer-encoding|keep-alive|upgrade|expect)$/im;

type Scheme = keyof typeof ACCEPTED_CODINGS;

/**
 * Sends requests over `node:http`, for servers that send a lot. It needs about 60 % of the processor time and memory of
 * Node's own `fetch`, and a new process sends sooner. Pass it to the client yourself: it is never the default, since
 * tests that replace the global `fetch`, or undici's dispatcher, would send real messages.
 *
 * It speaks HTTP/1.1, keeps connections for as long as the server does, follows no redirect, never repeats a request,
 * and goes through the proxy of the environment where Node does. All clients of a process share its connections.
 *
 * - **Connections**: as many as calls are under way, each with one request at a time. An idle one is kept for the server's
 *   `Keep-Alive: timeout=…` less a second, ten minutes at most, and for four seconds without that header.
 * - **Outcome**: `not_sent` until a connection is ready, for ten seconds at most; from then on `unknown`, also on a connection that
 *   the server closes just as it is used again.
 * - **Proxy**: with `NODE_USE_ENV_PROXY=1`, from Node 22.21 and 24.5 on. An older Node needs undici with a `ProxyAgent`.
 * - **Responses** may be in gzip, and over TLS in Brotli. `maxResponseBytes` counts what is decoded.
 * - **Certificates** of your own come from `NODE_EXTRA_CA_CERTS`. For an agent of your own use undici's.
 *
 * @example
 * ```ts
 * import { MessagingGateway } from "messaging-gateway";
 * import { nodeHttpFetch } from "messaging-gateway/node";
 *
 * const gateway = new MessagingGateway({ fetch: nodeHttpFetch });
 * ```
 * @returns a promise of the response, as soon as its headers are there. It rejects with the error of Node, or with the
 * reason of the signal.
 */
export function nodeHttpFetch(url: string, init: FetchInit): Promise<FetchResponse> {
	return new Promise((resolve, reject) => {
		const { signal } = init;
		if (signal.aborted) return reject(signal.reason);
		let isWritten = false;
		let response: IncomingMessage | undefined;
		let request: ClientRequest;
		let bytes: Bytes | undefined;
		const fail = (error: unknown): void => reject(markWritten(error, isWritten));
		try {
			bytes = readBody(init.body);
			request = openRequest(readTarget(url), init, bytes);
		} catch (error) {
			return fail(error);
		}
		const abort = (): void => {
			reject(signal.reason);
			response?.destroy(signal.reason);
			request.destroy();
		};
		signal.addEventListener("abort", abort);
		request.once("close", () => {
			signal.removeEventListener("abort", abort);
			if (response === undefined) fail(new Error("the connection closed without a response"));
		});
		// Further errors come when a response is there, and then break its body.
		request.on("error", fail);
		const written = (): void => {
			isWritten = true;
			reportWrite(init.headers);
		};
		onConnected(request, written, fail);
		request.once("response", (arrived: IncomingMessage) => {
			response = arrived;
			readKeepAlive(arrived);
			// The rest of the request is not wanted any more.
			arrived.once("end", () => request.writableFinished || request.destroy());
			resolve(toResponse(arrived));
		});
		request.end(bytes);
	});
}

// It has no cache, and needs no class of the platform's `fetch`.
Object.defineProperties(nodeHttpFetch, { ponyfill: { value: true }, [WRITTEN]: { value: true } });

function readBody(body: unknown): Bytes | undefined {
	if (body == null) return undefined;
	const bytes = viewBytes(body);
	if (bytes === undefined) throw new TypeError("the body must be bytes");
	return bytes as Bytes;
}

/** Where a request goes, as the options of Node's `request`. */
interface RequestTarget {
	readonly url: string;
	readonly protocol: Scheme;
	readonly hostname: string;
	readonly port: string;
	readonly path: string;
}

/** The last one: most calls of a client have the same URL. */
let lastTarget: RequestTarget | undefined;

function readTarget(url: string): RequestTarget {
	if (lastTarget?.url === url) return lastTarget;
	const { protocol, hostname, port, pathname, search } = new URL(url);
	if (protocol !== "http:" && protocol !== "https:")
		throw new TypeError("the URL must begin with http: or https:");
	lastTarget = { url, protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search };
	return lastTarget;
}

/** Opens a request; its headers and body are not written yet. */
function openRequest(
	{ protocol, hostname, port, path }: RequestTarget,
	{ method, headers }: FetchInit,
	bytes: Bytes | undefined,
): ClientRequest {
	const ofConnection = OF_CONNECTION.exec(Object.keys(headers).join("\n"))?.[0];
	if (ofConnection !== undefined) throw new TypeError(`the header ${ofConnection} belongs to the connection`);
	const module = findModule(protocol);
	const { agent, closeLapsed } = findConnections(protocol, module);
	closeLapsed();
	// Its function is looked up for each request, since instrumentation and mocks replace it.
	return module.request({
		agent,
		method,
		protocol,
		hostname,
		port,
		path,
		headers: {
			"user-agent": "node",
			"accept-encoding": ACCEPTED_CODINGS[protocol],
			...headers,
			...(bytes && { "content-length": bytes.length }),
		},
	});
}

/** Loaded late, since what reads a file needs no HTTP; and not by an import, which also loads undici with its `WebSocket`. */
function loadModule(scheme: Scheme): HttpModule {
	return loadBuiltin(scheme === "http:" ? "node:http" : "node:https");
}

type HttpModule = typeof import("node:http") | typeof import("node:https");

const modules: { [Key in Scheme]?: HttpModule } = {};

function findModule(scheme: Scheme): HttpModule {
	const module = modules[scheme] ?? loadModule(scheme);
	modules[scheme] = module;
	return module;
}

/** The connections that all requests share. */
interface Connections {
	readonly agent: Agent;
	readonly proxyEnv: AgentOptions["proxyEnv"];
	readonly closeLapsed: () => void;
}

const connections: { [Key in Scheme]?: Connections } = {};

function findConnections(scheme: Scheme, { Agent: AgentOfScheme, globalAgent }: HttpModule): Connections {
	// Node gives this to its own agent if requests go through the proxy of the environment, also in the midst of a run.
	const { proxyEnv } = (globalAgent as { options?: AgentOptions }).options ?? {};
	const found = connections[scheme];
	if (found !== undefined && found.proxyEnv === proxyEnv) return found;
	// The time that most connections may be idle: Node then has no timer to change when one becomes idle.
	const agent = new AgentOfScheme({
		keepAlive: true,
		timeout: DEFAULT_IDLE_MS,
		...(proxyEnv && { proxyEnv }),
	});
	const made = { agent, proxyEnv, closeLapsed: honorKeepAlive(agent) };
	connections[scheme] = made;
	return made;
}

/** Calls a function when a request gets a connection that is ready: right after that it is written. */
function onConnected(request: ClientRequest, ready: () => void, fail: (error: Error) => void): void {
	// From the start: a tunnel through a proxy is no socket of the request's until it is open.
	const cancel = request.reusedSocket ? () => undefined : limitConnecting(request, fail);
	request.once("socket", (socket) => {
		if (socket.destroyed) return;
		const connected = (): void => {
			cancel();
			ready();
		};
		const isHandshaking = Reflect.get(socket, "secureConnecting") === true;
		if (!socket.connecting && !isHandshaking) return connected();
		socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
	});
}

/** @returns a function that ends the limit. */
function limitConnecting(request: ClientRequest, fail: (error: Error) => void): () => void {
	const cancel = systemClock.setTimer(() => {
		fail(connectTimedOut());
		request.destroy();
	}, CONNECT_TIMEOUT_MS);
	request.once("close", cancel);
	return cancel;
}

function connectTimedOut(): Error {
	const error = new Error(`no connection was made within ${CONNECT_TIMEOUT_MS} ms`);
	return Object.assign(error, { code: "ETIMEDOUT" });
}

const writes = /* @__PURE__ */ channel(WRITTEN);

/** Tells the client, which may see only the error of a repeat, that a request is about to be written. */
function reportWrite(headers: Readonly<Record<string, string>>): void {
	const nonce = headers["X-Nonce"] ?? headers["x-nonce"];
	if (nonce !== undefined) writes.publish({ request: { headers: ["X-Nonce", nonce] } });
}

/** Says on an error whether the request may have been written, where nothing prints it. */
function markWritten(error: unknown, isWritten: boolean): unknown {
	try {
		return Object.defineProperty(error, WRITTEN, { value: isWritten, configurable: true });
	} catch {
		// It is no object, or frozen: then the client takes the outcome for unknown.
		return error;
	}
}

/** What the client needs of a response: a stream of the web would cost more than the request. */
function toResponse(message: IncomingMessage): FetchResponse {
	let body: Readable | undefined;
	const decoded = (): Readable => {
		body ??= decodeBody(message);
		return body;
	};
	return {
		status: message.statusCode ?? 0,
		statusText: message.statusMessage ?? "",
		headers: new HeaderLines(message.rawHeaders),
		body: { getReader: () => new StreamReader(decoded()) },
		text: () => loadBuiltin<typeof import("node:stream/consumers")>("node:stream/consumers").text(decoded()),
	};
}

nodeHttpFetch satisfies CustomFetch;
