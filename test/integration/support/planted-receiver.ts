import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunningServer, serve } from "../../support/serve.ts";

/**
 * Mistakes that receivers are written with. The receiver below shares no code with the package: a mistake of ours cannot
 * hide in both sides.
 */
export type PlantedFault =
	| "accepts everything"
	| "verifies JSON that it writes again"
	| "verifies JSON that it writes again with spaces"
	| "verifies JSON that it writes again in order"
	| "verifies the body without the timestamp"
	| "verifies a signature without v1="
	| "verifies a signature in base64"
	| "expects milliseconds"
	| "decodes the secret"
	| "decodes the body as Latin-1"
	| "verifies the first chunk"
	| "compares only the given digits"
	| "verifies only what has a signature"
	| "verifies only what has a timestamp"
	| "verifies only what has a body"
	| "verifies only POST"
	| "needs no event id"
	| "accepts any time"
	| "accepts any time to come"
	| "reads bodies of any size"
	| "reads bodies of 100 kB"
	| "distinguishes the case of headers"
	| "reads one signature"
	| "requires a type"
	| "rejects unknown types"
	| "rejects unknown fields"
	| "throws for a wrong signature"
	| "closes the connection for a wrong signature"
	| "stops at an empty body"
	| "waits at an empty body"
	| "remembers nothing"
	| "remembers signatures"
	| "remembers after it processed"
	| "rejects repeats"
	| "processes a copy under another id"
	| "limits requests"
	| "redirects"
	| "shows a page";

export interface PlantedReceiver extends RunningServer {
	/** Responds with the number of processed events. */
	readonly countUrl: string;
}

const MAX_BYTES = 1_048_576;
const FIELDS =
	"type messageId text from to outbound nativeMessageNumber participants chatGuid groupId messageGuid attachments timestamp_ms accountId originalMessageGuid originalText reaction status status_callback error".split(
		" ",
	);

/** Starts a receiver that is right, but for a fault. */
export async function startPlantedReceiver(secret: string, fault?: PlantedFault): Promise<PlantedReceiver> {
	const has = (planted: PlantedFault): boolean => planted === fault;
	const processed = new Set<string>();
	const boundIds = new Map<string, string>();
	let count = 0;
	let requests = 0;

	async function receive(request: IncomingMessage, response: ServerResponse): Promise<[number, string?]> {
		const { method = "" } = request;
		if (has("limits requests") && ++requests > 5) return [429];
		if (has("redirects")) return [308];
		if (has("shows a page")) return [200, "<!doctype html><title>Home</title>"];
		if (method !== "POST" && !has("verifies only POST")) return [405];
		const body = await readBody(request);
		if (body === undefined) return [413];
		if (has("stops at an empty body") && body.length === 0) {
			response.socket?.destroy();
			void server[Symbol.asyncDispose]();
		}
		if (has("waits at an empty body") && body.length === 0) await once(response, "close");
		const eventId = header(request, "X-SVC-Event-Id") ?? (has("needs no event id") ? "none" : undefined);
		const timestamp = header(request, "X-SVC-Timestamp");
		const signature = header(request, "X-SVC-Signature");
		const isTrusted =
			has("accepts everything") ||
			(has("verifies only what has a signature") && !signature) ||
			(has("verifies only what has a timestamp") && !timestamp) ||
			(has("verifies only what has a body") && body.length === 0) ||
			(has("verifies only POST") && method !== "POST");
		if (!isTrusted) {
			if (!eventId || !timestamp || !signature) return [400];
			const seconds = Number(timestamp) / (has("expects milliseconds") ? 1_000 : 1);
			const age = Date.now() / 1_000 - seconds;
			const isTooOld = age > 300 && !has("accepts any time");
			const isTooNew = age < -300 && !has("accepts any time") && !has("accepts any time to come");
			if (isTooOld || isTooNew) return [401];
			const given = has("reads one signature") ? [signature] : signature.split(",");
			if (!given.some((one) => matches(one.trim(), timestamp, body))) {
				if (has("throws for a wrong signature")) return [500];
				if (has("closes the connection for a wrong signature")) response.socket?.destroy();
				return [401];
			}
		}
		const payload = body.length === 0 ? {} : JSON.parse(body.toString());
		const type = payload.type ?? (has("requires a type") ? undefined : "status");
		const isKnown = ["inbound_message", "inbound_reaction", "status"].includes(type);
		if (type === undefined || (has("rejects unknown types") && !isKnown)) return [422];
		if (has("rejects unknown fields") && Object.keys(payload).some((name) => !FIELDS.includes(name)))
			return [422];
		return process(eventId ?? "none", signature ?? "", `${timestamp}.${body}`);
	}

	async function process(eventId: string, signature: string, signed: string): Promise<[number]> {
		const bound = boundIds.get(signed) ?? eventId;
		boundIds.set(signed, bound);
		const own = has("processes a copy under another id") ? eventId : bound;
		const key = has("remembers signatures") ? signature : own;
		if (processed.has(key) && !has("remembers nothing")) return [has("rejects repeats") ? 409 : 200];
		if (has("remembers after it processed")) await sleep(50);
		processed.add(key);
		count++;
		return [200];
	}

	async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
		const limit = has("reads bodies of 100 kB") ? 100_000 : MAX_BYTES;
		const isLimited = !has("reads bodies of any size");
		if (isLimited && Number(request.headers["content-length"]) > limit) {
			request.resume();
			return undefined;
		}
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk);
			if (has("verifies the first chunk")) break;
		}
		return Buffer.concat(chunks);
	}

	function header({ headers, rawHeaders }: IncomingMessage, name: string): string | undefined {
		if (!has("distinguishes the case of headers")) return headers[name.toLowerCase()]?.toString();
		const at = rawHeaders.indexOf(name);
		return at === -1 ? undefined : rawHeaders[at + 1];
	}

	function matches(given: string, timestamp: string, body: Buffer): boolean {
		const key = has("decodes the secret") ? Buffer.from(secret, "base64") : secret;
		const prefix = has("verifies the body without the timestamp") ? "" : `${timestamp}.`;
		const hmac = createHmac("sha256", key).update(prefix).update(toSigned(body));
		const digest = hmac.digest(has("verifies a signature in base64") ? "base64" : "hex");
		const expected = has("verifies a signature without v1=") ? digest : `v1=${digest}`;
		if (has("compares only the given digits")) return expected.startsWith(given);
		return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
	}

	function toSigned(body: Buffer): Buffer | string {
		if (has("decodes the body as Latin-1")) return body.toString("latin1");
		const isWritten = fault?.startsWith("verifies JSON that it writes again");
		if (!isWritten || body.length === 0) return body;
		const value = JSON.parse(body.toString());
		if (has("verifies JSON that it writes again in order")) {
			return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
		}
		if (!has("verifies JSON that it writes again with spaces")) return JSON.stringify(value);
		return JSON.stringify(value).replace(/("|\d|[\]}]|e|l)([:,])(?=["[{\dtfn])/g, "$1$2 ");
	}

	const server = await serve(async (request, response) => {
		if (request.url === "/count") return void response.end(String(count));
		const [status, body] = await receive(request, response);
		response.writeHead(status, status === 308 ? { Location: "/elsewhere" } : {}).end(body);
	});
	return { ...server, countUrl: `${server.url}/count` };
}
