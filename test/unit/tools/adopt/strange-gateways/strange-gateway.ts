/**
 * Gateways by other hands, as real HTTP servers: each has its own routes, names and document, which may be wrong about
 * what it sends. It keeps what was sent and changed. It shares no code with the package.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type RunningServer, serve } from "../../../../support/serve.ts";
import { CONTACTS, StrangeAccount, WEBHOOKS } from "./account.ts";
import { type DocumentTraits, type Json, type RouteDoc, writeDocument, writePages } from "./document.ts";

export interface StrangeCall {
	readonly params: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	readonly body: Json;
	readonly headers: IncomingMessage["headers"];
	readonly account: StrangeAccount;
}

export interface StrangeReply {
	readonly status?: number;
	readonly data?: unknown;
	/** The whole body, without the envelope. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

export class Rejection extends Error {
	readonly status: number;
	readonly code: string;
	readonly details: unknown;
	constructor(status: number, code: string, details?: unknown) {
		super(code);
		this.status = status;
		this.code = code;
		this.details = details;
	}
}

export interface StrangeRoute {
	readonly method: string;
	readonly path: string;
	readonly doc: RouteDoc | undefined;
	readonly handle: (call: StrangeCall) => StrangeReply;
}

/** A route in one line: `route("POST /send", { …its document }, handler)`. */
export function route(line: string, doc: RouteDoc | undefined, handle: StrangeRoute["handle"]): StrangeRoute {
	const [method = "", path = ""] = line.split(" ");
	return { method, path, doc, handle };
}

/** The right route of an operation, and what its places stand for. */
export interface Truth {
	readonly route: string;
	/** By the names on the wire: what the user would answer. */
	readonly places?: Readonly<Record<string, string>>;
}

export interface StrangeShape {
	readonly mount?: string;
	readonly signing?: {
		readonly secret?: "text" | "hex" | "base64";
		readonly query?: "excluded" | "included" | "sorted";
		readonly body?: "sorted" | "go" | "php" | "python" | "spaced" | "no_nulls" | "raw";
		readonly path?: "raw" | "decoded" | "mountless";
		readonly unit?: "s" | "ms";
		readonly empty?: "" | "{}";
	};
	readonly document?: DocumentTraits;
	/** Served as they are, before anything else. */
	readonly pages?: Readonly<Record<string, readonly [type: string, text: string, status?: number]>>;
	/** What paths that nobody has respond. */
	readonly fallback?: readonly [type: string, text: string, status: number];
	readonly routes: readonly StrangeRoute[];
	readonly truth: Readonly<Record<string, Truth>>;
	/** The number that the user gives as `defaults.from`. */
	readonly from?: string;
	/** After how many requests it responds with 429, once. */
	readonly limit?: number;
	/** Which id a message is asked for by, and which one a tapback names. */
	readonly idsAre?: "id" | "serial";
	readonly tapsBy?: "id" | "guid";
	/** How a chat is named where its path has its id. */
	readonly chats?: "by_id";
	/** Whether voice notes are bytes or a URL. */
	readonly voices?: "bytes";
	/** Whether the mapping of section 4.1 is documented too. */
	readonly isSpecHidden?: boolean;
}

export interface StrangeGateway extends RunningServer {
	readonly baseUrl: string;
	readonly account: StrangeAccount;
	readonly appSecret: string;
	/** `METHOD /path` of every request. */
	readonly seen: string[];
}

export const STRANGE_APP = "strange-app-never-shown";
const SECRETS = {
	text: "str4nge-secret-never-shown",
	hex: "5ec2e7a1".repeat(8),
	base64: Buffer.from("never shown, 32 bytes of a key..").toString("base64"),
};
const REQUEST_ID = "0d2f6c1e-2a77-4c1c-8e4f-3d0f0a6a1b2c";

export async function startStrangeGateway(shape: StrangeShape): Promise<StrangeGateway> {
	const { mount = "", signing = {}, document } = shape;
	const account = new StrangeAccount();
	const seen: string[] = [];
	const nonces = new Set<string>();
	const routes = [...shape.routes, ...specRoutes(shape)];
	const text = document && writeDocument(document, mount, routes);
	const pages: Record<string, readonly [string, string, number?]> = { ...shape.pages };
	if (document !== undefined && text !== undefined) {
		Object.assign(pages, writePages(document, text));
		if (document.page !== "embedded")
			pages[document.at] = [document.form === "yaml" ? "application/yaml" : "application/json", text];
	}
	const server = await serve(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const raw = Buffer.concat(chunks);
		const method = request.method ?? "GET";
		const [path = "", search = ""] = (request.url ?? "/").split(/\?(.*)/s);
		seen.push(`${method} ${path}`);
		try {
			const page = method === "GET" ? pages[path] : undefined;
			if (page !== undefined && !(document?.isLocked && path === document.at)) {
				return write(response, page[2] ?? 200, page[0], page[1]);
			}
			if (seen.length === shape.limit) {
				response.setHeader("Retry-After", "1");
				throw new Rejection(429, "TOO_MANY");
			}
			const below = path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined;
			const found = below === undefined ? undefined : findRoute(routes, method, below);
			if (found?.route.path !== "/health" && (found !== undefined || page !== undefined))
				authenticate(shape, request, { method, path, search, raw }, nonces);
			if (page !== undefined) return write(response, page[2] ?? 200, page[0], page[1]);
			if (found === undefined) {
				if (shape.fallback) return write(response, shape.fallback[2], shape.fallback[0], shape.fallback[1]);
				throw new Rejection(404, "NO_SUCH_PATH");
			}
			const body = raw.length === 0 ? {} : JSON.parse(raw.toString());
			const call = {
				params: found.params,
				query: new URLSearchParams(search),
				body,
				headers: request.headers,
				account,
			};
			const reply = found.route.handle(call);
			for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
			const whole = reply.body ?? (reply.data === undefined ? undefined : envelope(reply.data));
			write(
				response,
				reply.status ?? 200,
				"application/json",
				whole === undefined ? "" : JSON.stringify(whole),
			);
		} catch (error) {
			const { status, code, details } = error instanceof Rejection ? error : new Rejection(500, "BROKEN");
			const problem = {
				code,
				message: code.toLowerCase(),
				requestId: REQUEST_ID,
				...(details !== undefined && { details }),
			};
			write(response, status, "application/json", JSON.stringify({ ok: false, error: problem }));
		}
	});
	const appSecret = SECRETS[signing.secret ?? "text"];
	return { ...server, baseUrl: server.url + mount, account, appSecret, seen };
}

function envelope(data: unknown): unknown {
	return { ok: true, data, meta: { requestId: REQUEST_ID, timestamp: new Date().toISOString() } };
}

function write(response: ServerResponse, status: number, type: string, text: string): undefined {
	response.writeHead(status, text === "" ? {} : { "Content-Type": type });
	response.end(text);
}

function findRoute(routes: readonly StrangeRoute[], method: string, path: string) {
	for (const candidate of routes) {
		if (candidate.method !== method) continue;
		const pattern = candidate.path.replace(/[.+*]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
		const match = new RegExp(`^${pattern}$`).exec(path);
		if (match === null) continue;
		const params = Object.fromEntries(
			Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
		);
		return { route: candidate, params };
	}
	return undefined;
}

/** What the specification shows: every gateway has it. */
function specRoutes({ isSpecHidden = false, routes }: StrangeShape): StrangeRoute[] {
	const doc = (found: RouteDoc): RouteDoc | undefined => (isSpecHidden ? undefined : found);
	const all = [
		route("GET /health", doc({ sum: "Liveness" }), () => ({ body: { status: "up" } })),
		route(
			"GET /mapping/{toNumber}",
			doc({
				sum: "Mapping of a number",
				ok: { "mapping!": { agentNumber: "string", userNumber: "string" } },
			}),
			({ params }) => {
				const digits = params["toNumber"]?.replace("+", "");
				const contact = CONTACTS.find(({ number }) => number.slice(1) === digits);
				if (contact === undefined) throw new Rejection(404, "MAPPING_NOT_FOUND");
				return { data: { mapping: specMapping(contact) } };
			},
		),
		route(
			"POST /settings/webhooks",
			doc({ sum: "Set webhooks", body: { inboundWebhookUrl: "string", statusWebhookUrl: "string" } }),
			({ body, account }) => {
				for (const name of ["inboundWebhookUrl", "statusWebhookUrl"])
					if (name in body) account.change(`webhooks ${name}`);
				return { data: { inboundWebhookUrl: WEBHOOKS.inbound, statusWebhookUrl: WEBHOOKS.status } };
			},
		),
	];
	return all.filter(
		({ method, path }) => !routes.some((other) => other.method === method && other.path === path),
	);
}

export function specMapping(contact: (typeof CONTACTS)[number]): Record<string, unknown> {
	return {
		agentNumber: contact.agent,
		userNumber: contact.number,
		createdAt: contact.createdAt,
		respondedAt: null,
		lastRespondedAt: null,
		receivedAt: null,
		lastReceivedAt: contact.lastReceivedAt,
		outbound: contact.outbound,
		inbound: contact.inbound,
		consecutiveCount: contact.streak,
		lastWarningSentAt: null,
		maxConsecutiveMessages: contact.most,
	};
}

/** Section 5.1, in this gateway's reading. */
function authenticate(
	{ signing = {}, mount = "" }: StrangeShape,
	request: IncomingMessage,
	{ method, path, search, raw }: { method: string; path: string; search: string; raw: Buffer },
	nonces: Set<string>,
): void {
	const { secret = "text", query = "excluded", body = "sorted", unit = "ms", empty = "" } = signing;
	const header = (name: string): string => String(request.headers[name] ?? "");
	const [time, nonce] = [header("x-timestamp"), header("x-nonce")];
	const given = /^HMAC ([0-9a-f]{64})$/.exec(header("authorization"))?.[1];
	if (given === undefined || header("x-app-id") !== STRANGE_APP) throw new Rejection(401, "UNAUTHENTICATED");
	if (!(Math.abs(Number(time) * (unit === "s" ? 1000 : 1) - Date.now()) <= 300_000))
		throw new Rejection(401, "STALE");
	const shown =
		signing.path === "decoded"
			? decodeURIComponent(path)
			: signing.path === "mountless"
				? path.slice(mount.length)
				: path;
	const sorted = search.split("&").sort().join("&");
	const queries = { excluded: "", included: search && `?${search}`, sorted: search && `?${sorted}` };
	const hashed =
		raw.length === 0 ? empty : body === "raw" ? raw : writeBody(JSON.parse(raw.toString()), body);
	const bodyHash = createHash("sha256").update(hashed).digest("hex");
	const key = secret === "text" ? SECRETS.text : Buffer.from(SECRETS[secret], secret);
	const toSign = [method, shown + queries[query], bodyHash, time, nonce].join("\n");
	const expected = createHmac("sha256", key).update(toSign).digest();
	if (!timingSafeEqual(expected, Buffer.from(given, "hex"))) throw new Rejection(401, "WRONG_SIGNATURE");
	if (nonces.has(nonce)) throw new Rejection(401, "NONCE_SEEN");
	nonces.add(nonce);
}

type BodyForm = "sorted" | "go" | "php" | "python" | "spaced" | "no_nulls";

function writeBody(value: unknown, form: BodyForm): string {
	const comma = form === "spaced" ? ", " : ",";
	const colon = form === "spaced" ? ": " : ":";
	const json = (part: unknown): string => {
		if (Array.isArray(part)) return `[${part.map(json).join(comma)}]`;
		if (typeof part !== "object" || part === null) return JSON.stringify(part);
		const fields = Object.entries(part)
			.filter(([, item]) => form !== "no_nulls" || item !== null)
			.sort(([left], [right]) => (left < right ? -1 : 1));
		return `{${fields.map(([name, item]) => `${JSON.stringify(name)}${colon}${json(item)}`).join(comma)}}`;
	};
	const toEscape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
	const text = json(value);
	if (form === "go") return text.replace(/[<>&\u2028\u2029]/g, toEscape);
	if (form === "php") return text.replace(/[^ -\x7f]/g, toEscape).replaceAll("/", "\\/");
	return form === "python" || form === "spaced" ? text.replace(/[^ -~]/g, toEscape) : text;
}

/** The part of a list from `start` on, and where the next one starts. */
export function cut<Item>(
	items: readonly Item[],
	start: number,
	size: number,
): { items: Item[]; next: number | null } {
	const from = Number.isFinite(start) ? start : 0;
	return { items: items.slice(from, from + size), next: from + size < items.length ? from + size : null };
}

/** A number of the query, within limits. */
export function numberOf(query: URLSearchParams, name: string, preset: number, most = 2): number {
	const given = Number(query.get(name) ?? preset);
	if (!Number.isInteger(given) || given < 0)
		throw new Rejection(400, "BAD_PAGE", [{ field: name, issue: "invalid", message: "no" }]);
	return name.toLowerCase().includes("page") && !name.toLowerCase().includes("size")
		? given
		: Math.max(1, Math.min(given, most));
}

/** A field that has to be there. */
export function need(body: Json, name: string): string {
	const value: unknown = name.split(".").reduce((part: Json, key) => Object(part)[key], body);
	if (typeof value === "string" && value !== "") return value;
	throw new Rejection(400, "INVALID", [{ field: name, issue: "required", message: "give it" }]);
}

/** A number that must be a phone: with its plus, or without where the gateway wants that. */
export function needPhone(body: Json, name: string, isBare = false): string {
	const value = need(body, name);
	if (!(isBare ? /^\+?[1-9]\d{6,14}$/ : /^\+[1-9]\d{6,14}$/).test(value))
		throw new Rejection(400, "INVALID", [{ field: name, issue: "format", message: "no phone" }]);
	return value.startsWith("+") ? value : `+${value}`;
}

/** A number that must be one of the account's own lines. */
export function needLine(body: Json, name: string, lines: readonly { readonly number: string }[]): string {
	const value = needPhone(body, name, true);
	if (!lines.some(({ number }) => number === value))
		throw new Rejection(400, "INVALID", [{ field: name, issue: "unknown", message: "not your line" }]);
	return value;
}

export function orMissing<Item>(item: Item | undefined): Item {
	if (item === undefined) throw new Rejection(404, "MISSING");
	return item;
}
