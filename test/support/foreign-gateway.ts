/**
 * A gateway by other hands: a server that reads the specification by itself and shares no code with the package, so that
 * a mistake of ours cannot hide in both sides. Each switch is one way in which a real gateway may differ.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createForeignAccount, type ForeignAccount, type ForeignShapes } from "./foreign-account.ts";
import { type RunningServer, serve } from "./serve.ts";

export interface ForeignGatewayOptions {
	/** The path that the gateway is mounted at. */
	mount?: string;
	secret?: string;
	appId?: string;

	/** How a body is written before it is hashed. */
	canonical?: "sorted" | "insertion" | "reversed" | "escaped" | "go" | "php" | "emoji" | "spaced" | "raw";
	/** Which path is signed. */
	signedPath?: "raw" | "decoded" | "mountless" | "decoded_mountless" | "lower_case_hex";
	/** How the query is signed. */
	signedQuery?: "none" | "raw" | "separate";
	/** What is hashed without a body. */
	nothing?: "" | "{}";
	unit?: "milliseconds" | "seconds";
	nonce?: "uuid" | "hex";

	/** The status of the response to a wrong signature, with its code. */
	wrong?: { status: number; code: string };
	/** Whether every rejection has the same code and message. */
	isSilent?: boolean;
	/** The code for an unknown app. */
	unknownApp?: string;
	/** How errors are written. */
	errors?: "envelope" | "html" | "text" | "problem";
	/** Whether the signature is checked before the path is looked for, that of `/health` included. */
	isAuthFirst?: boolean;
	/** Whether signatures are checked at all. */
	isUnchecked?: boolean;
	/** Whether the app may read mappings. */
	isForbidden?: boolean;
	health?: "ok" | "empty" | "envelope_401" | "html_401" | "html_200" | "missing" | "failing";
	mapping?: "missing" | "missing_as_unknown_path" | "present";
	/** How the webhook settings respond. */
	settings?: "envelope" | "empty_200" | "empty_204" | "strict";
	/** The gateway's clock minus the true time, in milliseconds. */
	clockMs?: number;
	/** How many requests are accepted before 429. */
	limit?: number;
	failing?: "envelope" | "page";
	/** Gives it the operations that the specification does not show, in these shapes. */
	shapes?: ForeignShapes;

	/** What stands in front of it. */
	proxy?: {
		/** Parses and writes the path again, so that `%2B` becomes a plus. */
		rewrites?: boolean;
		/** Takes this prefix off. */
		strips?: string;
		/** Drops a header. */
		drops?: string;
		/** Sets `Authorization` to its own. */
		replacesAuthorization?: boolean;
		/** Requires a password for everything but `/health`. */
		password?: boolean;
		/** Redirects everything. */
		redirects?: boolean;
		/** Sets `Date` this many milliseconds off. */
		dateMs?: number;
	};
}

/** What the gateway itself knows of a request: the truth that findings are compared with. */
export interface SeenRequest {
	readonly method: string;
	readonly route: "health" | "mapping" | "settings" | "account" | "unknown";
	readonly isSigned: boolean;
	/** Whether the handler of a known route was reached with an accepted signature. */
	readonly isHandled: boolean;
}

export interface ForeignGateway extends RunningServer {
	readonly seen: SeenRequest[];
	/** The base URL as its operator would name it. */
	readonly baseUrl: string;
	readonly options: ForeignGatewayOptions;
	/** How many messages went out. */
	readonly sent: () => number;
}

export const FOREIGN_SECRET = "foreign-s3cret-never-shown";
export const FOREIGN_APP = "foreign-app-never-shown";

const REQUEST_ID = "9b0f6c1e-2a77-4c1c-8e4f-3d0f0a6a1b2c";

class Rejected extends Error {
	readonly status: number;
	readonly code: string;
	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

export async function startForeignGateway(options: ForeignGatewayOptions = {}): Promise<ForeignGateway> {
	const seen: SeenRequest[] = [];
	const nonces = new Set<string>();
	let count = 0;
	const account = options.shapes && createForeignAccount(options.shapes);
	const server = await serve(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		count += 1;
		respond({ options, request, response, body: Buffer.concat(chunks), seen, nonces, count, account });
	});
	const sent = (): number => account?.sent() ?? 0;
	return { ...server, seen, options, sent, baseUrl: server.url + (options.mount ?? "") };
}

interface Exchange {
	options: ForeignGatewayOptions;
	request: IncomingMessage;
	response: ServerResponse;
	body: Buffer;
	seen: SeenRequest[];
	nonces: Set<string>;
	count: number;
	account: ForeignAccount | undefined;
}

function respond(exchange: Exchange): undefined {
	const { options, request, response, seen, count } = exchange;
	const { proxy = {}, mount = "" } = options;
	const method = request.method ?? "GET";
	response.setHeader(
		"Date",
		new Date(Date.now() + (options.clockMs ?? 0) + (proxy.dateMs ?? 0)).toUTCString(),
	);

	let target = request.url ?? "/";
	const isHealthTarget = target.endsWith("/health");
	if (proxy.redirects)
		return send(response, 301, "text/html", "", { Location: `https://other.example${target}` });
	if (proxy.password && !isHealthTarget) {
		return send(response, 401, "text/html", "<html>password</html>", {
			"WWW-Authenticate": 'Basic realm="x"',
		});
	}
	if (proxy.rewrites) target = target.replaceAll("%2B", "+");
	if (proxy.strips !== undefined) target = target.replace(proxy.strips, "");
	if (proxy.drops !== undefined) delete request.headers[proxy.drops.toLowerCase()];
	if (proxy.replacesAuthorization && request.headers.authorization)
		request.headers.authorization = "Bearer proxy";

	if (options.failing === "page") return send(response, 502, "text/html", "<html>Bad Gateway</html>");
	if (options.failing === "envelope") return fail(exchange, new Rejected(500, "INTERNAL", "it failed"));
	if (options.limit !== undefined && count > options.limit) {
		response.setHeader("Retry-After", "30");
		return fail(exchange, new Rejected(429, "SLOW_DOWN", "too many"));
	}

	const [rawPath = "", search = ""] = splitOnce(target, "?");
	const below = rawPath.startsWith(`${mount}/`) ? rawPath.slice(mount.length) : undefined;
	const result = below === undefined ? undefined : exchange.account?.find(method, below);
	const route = result === undefined ? findRoute(method, below) : "account";
	const isSigned = request.headers.authorization !== undefined;
	const note = (isHandled: boolean) => seen.push({ method, route, isSigned, isHandled });
	try {
		const needsSignature = options.isAuthFirst ? true : route !== "unknown" && route !== "health";
		if (needsSignature && !options.isUnchecked) authenticate(exchange, { method, rawPath, search, mount });
		note(route !== "unknown");
		if (result !== undefined) return respondAsAccount(exchange, result(exchange.body));
		handle(exchange, route);
	} catch (error) {
		if (!(error instanceof Rejected)) throw error;
		note(false);
		fail(exchange, error);
	}
}

function respondAsAccount(
	{ options, response }: Exchange,
	result: ReturnType<ReturnType<ForeignAccount["find"]> & object>,
): undefined {
	const { status, data, error, body } = result;
	if (body !== undefined) return send(response, status, "application/json", JSON.stringify(body));
	if (error !== undefined) {
		const envelope = { ok: false, error: { ...error, requestId: REQUEST_ID } };
		return send(response, status, "application/json", JSON.stringify(envelope));
	}
	if (data === undefined) return send(response, status, "", "");
	succeed(response, data, options, status);
}

function findRoute(method: string, below: string | undefined): SeenRequest["route"] {
	if (below === "/health") return "health";
	if (below !== undefined && method === "GET" && /^\/mapping\/[^/]+$/.test(below)) return "mapping";
	return below === "/settings/webhooks" && method === "POST" ? "settings" : "unknown";
}

function handle({ options, response, body }: Exchange, route: SeenRequest["route"]): undefined {
	const { health = "ok", mapping = "missing", settings = "envelope" } = options;
	if (route === "unknown") throw new Rejected(404, "NO_ROUTE", "no such route");
	if (route === "health") {
		if (health === "ok") return send(response, 200, "text/plain", "OK");
		if (health === "empty") return send(response, 204, "", "");
		if (health === "html_401") return send(response, 401, "text/html", "<html>sign in</html>");
		if (health === "html_200") return send(response, 200, "text/html", "<html>hello</html>");
		if (health === "envelope_401") throw new Rejected(401, "UNAUTHENTICATED", "sign this");
		if (health === "failing") throw new Rejected(503, "DEGRADED", "a part is down");
		throw new Rejected(404, "NO_ROUTE", "no such route");
	}
	if (route === "settings") {
		const unknownKey = Object.keys(JSON.parse(body.toString() || "{}")).find(
			(key) => !key.endsWith("WebhookUrl"),
		);
		if (settings === "strict" && unknownKey !== undefined)
			throw new Rejected(400, "BAD_FIELD", "unknown field");
		if (settings === "empty_200") return send(response, 200, "", "");
		if (settings === "empty_204") return send(response, 204, "", "");
		return succeed(response, { saved: true }, options);
	}
	if (options.isForbidden) throw new Rejected(403, "NOT_FOR_YOU", "this app may not");
	if (mapping === "present") return succeed(response, { mapping: MAPPING }, options);
	if (mapping === "missing") throw new Rejected(404, "NO_MAPPING", "nobody has this number");
	throw new Rejected(404, "NO_ROUTE", "nothing here");
}

/** The signature of section 5.1, in this gateway's reading. */
function authenticate(
	{ options, request, body, nonces }: Exchange,
	{ method, rawPath, search, mount }: { method: string; rawPath: string; search: string; mount: string },
): void {
	const { unit = "milliseconds", nothing = "", canonical = "sorted", signedPath = "raw" } = options;
	const { wrong = { status: 401, code: "BAD_SIGNATURE" }, nonce: nonceShape = "uuid", isSilent } = options;
	const reject = (code: string, message: string): Rejected =>
		isSilent ? new Rejected(wrong.status, "DENIED", "denied") : new Rejected(wrong.status, code, message);
	const header = (name: string): string => {
		const value = request.headers[name];
		if (typeof value !== "string") throw reject("INCOMPLETE", `${name} is missing`);
		return value;
	};
	const [appId, time, nonce] = [header("x-app-id"), header("x-timestamp"), header("x-nonce")];
	const given = /^HMAC ([0-9a-f]{64})$/.exec(header("authorization"))?.[1];
	if (appId !== (options.appId ?? FOREIGN_APP))
		throw reject(options.unknownApp ?? "NO_SUCH_CALLER", "who is this");
	const signedAt = Number(time) * (unit === "seconds" ? 1000 : 1);
	if (!(Math.abs(signedAt - (Date.now() + (options.clockMs ?? 0))) <= 300_000)) {
		throw reject("STALE", "the timestamp is too far from our time");
	}
	const nonceForm = nonceShape === "uuid" ? /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ : /^[0-9a-f]{32}$/;
	if (!nonceForm.test(nonce)) throw reject("BAD_NONCE", "the nonce has another shape here");

	const forms: Record<NonNullable<ForeignGatewayOptions["signedPath"]>, (path: string) => string> = {
		raw: (path) => path,
		mountless: (path) => path.slice(mount.length),
		decoded: (path) => decodeURIComponent(path),
		decoded_mountless: (path) => decodeURIComponent(path.slice(mount.length)),
		lower_case_hex: (path) => path.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
	};
	const query = search === "" ? "" : `?${search}`;
	const path = forms[signedPath](rawPath) + (options.signedQuery === "raw" ? query : "");
	const hashed = body.length === 0 ? nothing : writeCanonical(body, canonical);
	const bodyHash = createHash("sha256").update(hashed).digest("hex");
	const lines = [method, path, bodyHash, time, nonce];
	if (options.signedQuery === "separate" && query !== "") lines.push(query);
	const expected = createHmac("sha256", options.secret ?? FOREIGN_SECRET)
		.update(lines.join("\n"))
		.digest();
	if (given === undefined || !timingSafeEqual(expected, Buffer.from(given, "hex"))) {
		throw reject(wrong.code, "the signature doesn't match");
	}
	if (nonces.has(nonce)) throw reject("REPLAYED", "the nonce was seen");
	nonces.add(nonce);
}

function writeCanonical(
	body: Buffer,
	form: NonNullable<ForeignGatewayOptions["canonical"]>,
): string | Buffer {
	if (form === "raw") return body;
	const value: unknown = JSON.parse(body.toString("utf8"));
	if (form === "spaced") return JSON.stringify(value, null, 2);
	if (form === "insertion") return JSON.stringify(value);
	if (form === "reversed") return writeSorted(value, (left, right) => (left < right ? 1 : -1));
	const sorted = writeSorted(value, (left, right) => (left < right ? -1 : 1));
	const toEscape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
	if (form === "go") return sorted.replace(/[<>&\u2028\u2029]/g, toEscape);
	// No profile has a name for it.
	if (form === "emoji")
		return sorted.replace(
			/[\ud800-\udfff]/g,
			(unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`,
		);
	const escaped = sorted.replace(/[^ -~]/g, toEscape);
	// Unlike Python it leaves U+007F as it is.
	if (form === "php") return sorted.replace(/[^ -\x7f]/g, toEscape).replaceAll("/", "\\/");
	return form === "escaped" ? escaped : sorted;
}

function writeSorted(value: unknown, compare: (left: string, right: string) => number): string {
	if (Array.isArray(value)) return `[${value.map((item) => writeSorted(item, compare)).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).sort(([left], [right]) => compare(left, right));
	return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${writeSorted(item, compare)}`).join(",")}}`;
}

function succeed(
	response: ServerResponse,
	data: unknown,
	{ clockMs = 0 }: ForeignGatewayOptions,
	status = 200,
): undefined {
	const meta = { requestId: REQUEST_ID, timestamp: new Date(Date.now() + clockMs).toISOString() };
	send(response, status, "application/json", JSON.stringify({ ok: true, data, meta }));
}

function fail({ options, response }: Exchange, { status, code, message }: Rejected): undefined {
	const { errors = "envelope" } = options;
	if (errors === "html") return send(response, status, "text/html", `<html><h1>${status}</h1></html>`);
	if (errors === "text") return send(response, status, "text/plain", message);
	if (errors === "problem") {
		return send(response, status, "application/problem+json", JSON.stringify({ type: code, title: message }));
	}
	const error = { code, message, requestId: REQUEST_ID };
	send(response, status, "application/json", JSON.stringify({ ok: false, error }));
}

function send(
	response: ServerResponse,
	status: number,
	type: string,
	body: string,
	headers: Record<string, string> = {},
): undefined {
	response.writeHead(status, type === "" ? headers : { "Content-Type": type, ...headers });
	response.end(body);
}

function splitOnce(text: string, mark: string): [string, string] {
	const at = text.indexOf(mark);
	return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

const MAPPING = {
	agentNumber: "+15550001111",
	userNumber: "+15555550100",
	createdAt: 1767225600000,
	respondedAt: null,
	lastRespondedAt: null,
	receivedAt: null,
	lastReceivedAt: null,
	outbound: 0,
	inbound: 0,
	consecutiveCount: 0,
	lastWarningSentAt: null,
	maxConsecutiveMessages: 3,
	duplicate: null,
};
