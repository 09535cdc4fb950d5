/**
 * Gateways that differ in how they sign and in how they reject, as functions: they share no code with the package, so that a
 * mistake of ours cannot hide in both sides.
 */
import { createHash, createHmac } from "node:crypto";
import { MessagingGateway, type Profile } from "messaging-gateway";
import { type Diagnosis, diagnose } from "messaging-gateway/doctor";
import { runProfileSource } from "./diagnosed.ts";

export interface SyntheticForm {
	readonly path: "raw" | "below" | "decoded" | "decoded_below";
	readonly query: "none" | "raw" | "sorted";
	readonly nothing: "" | "{}";
	readonly secret: "text" | "hex" | "base64" | "whsec";
	readonly unit: 1 | 1000;
	readonly body: keyof typeof WRITERS;
}

export interface SyntheticManners {
	/** What is checked: every signature, none, those of reads, or those of posts. */
	readonly checks: "all" | "nothing" | "reads" | "posts";
	/** The response to a wrong signature. The second 404 is that of a missing mapping, the second 400 that of a bad request. */
	readonly mark: "401" | "403" | "404" | "404_missing" | "400" | "400_bad";
	/** When an unknown key of a body is rejected. */
	readonly keys: "never" | "before" | "after";
	/** When a contact that is not E.164 is rejected: one with a space earlier than others, or not. */
	readonly contacts: "never" | "before" | "after" | "spaces_before";
	/** When an unknown parameter of a query is rejected. */
	readonly parameters: "never" | "before" | "after";
	readonly mapping: "present" | "missing" | "forbidden";
	/** How many requests pass until one gets 429, which says how long to wait; 0 for no limit. */
	readonly limit: number;
	readonly errors: "envelope" | "text";
}

export type SyntheticGateway = SyntheticForm & SyntheticManners;

export const PLAIN: SyntheticGateway = {
	path: "raw",
	query: "none",
	nothing: "",
	secret: "text",
	unit: 1,
	body: "sorted",
	checks: "all",
	mark: "401",
	keys: "never",
	contacts: "never",
	parameters: "never",
	mapping: "missing",
	limit: 0,
	errors: "envelope",
};

const escapeAll = (pattern: RegExp) => (json: string) =>
	json.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

function sorted(value: unknown, [comma, colon] = [",", ":"], keepsNulls = true): string {
	if (Array.isArray(value))
		return `[${value.map((item) => sorted(item, [comma, colon], keepsNulls)).join(comma)}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).filter(([, item]) => keepsNulls || item !== null);
	const written = fields
		.sort(([left], [right]) => (left < right ? -1 : 1))
		.map(([name, item]) => `${JSON.stringify(name)}${colon}${sorted(item, [comma, colon], keepsNulls)}`);
	return `{${written.join(comma)}}`;
}

/** How a body is written before it is hashed. */
const WRITERS = {
	sorted: (body: unknown) => sorted(body),
	insertion: (body: unknown) => JSON.stringify(body),
	go: (body: unknown) => escapeAll(/[<>&\u2028\u2029]/g)(sorted(body)),
	python: (body: unknown) => escapeAll(/[^\0-\x7e]/g)(sorted(body, [", ", ": "])),
	python_compact: (body: unknown) => escapeAll(/[^\0-\x7e]/g)(sorted(body)),
	php: (body: unknown) => escapeAll(/[^\0-\x7f]/g)(sorted(body).replaceAll("/", "\\/")),
	swift: (body: unknown) => sorted(body).replaceAll("/", "\\/"),
	jackson: (body: unknown) => sorted(body, undefined, false),
	/** No name of a profile. */
	gson: (body: unknown) => escapeAll(/[<>&'=\u2028\u2029]/g)(sorted(body)),
	reversed: (body: unknown) => [...sorted(body)].toReversed().join(""),
	numbers: (body: unknown) => sorted(body).replace(/:(\d+)(?=[,}])/g, ":$1.0"),
} satisfies Record<string, (body: unknown) => string>;

/** Forms of bodies that no profile can name, nor a search put together. */
const UNKNOWN_BODIES: readonly SyntheticForm["body"][] = ["reversed", "numbers"];

const KEY = Buffer.from("00ff7e3f112233445566778899aabbccddeeff0123456789abcdef0011223344", "hex");
/** The secrets as a dashboard shows them. */
const SECRETS = {
	text: "a text that a person chose",
	hex: KEY.toString("hex"),
	base64: KEY.toString("base64"),
	whsec: `whsec_${KEY.toString("base64")}`,
} as const;

const BASE = "https://gateway.example/api/v1";
const MOUNT = "/api/v1";

interface Judged {
	readonly route: "health" | "mapping" | "list" | "settings" | "unknown";
	readonly isRight: boolean;
}

/** The gateway, and what it found of each request. */
export class SyntheticServer {
	readonly seen: Judged[] = [];
	readonly #gateway: SyntheticGateway;
	#now = 1_767_225_600_000;
	#count = 0;

	constructor(gateway: SyntheticGateway) {
		this.#gateway = gateway;
	}

	/** A client that assumes what the package does. */
	client(profile?: Profile): MessagingGateway {
		return new MessagingGateway({
			baseUrl: BASE,
			appId: "app-1",
			appSecret: SECRETS[this.#gateway.secret],
			logLevel: "off",
			maxRetries: 0,
			profile,
			fetch: (url, init) => this.#respond(new URL(url), init.method, init.headers, init.body),
			// Waits end at once, and limits never.
			clock: {
				now: () => this.#now,
				setTimer: (run, delayMs) => {
					const timer = delayMs < 15_000 ? setImmediate(run) : undefined;
					return () => clearImmediate(timer);
				},
			},
		});
	}

	async #respond(
		url: URL,
		method: string,
		headers: Record<string, string>,
		bytes: Uint8Array | undefined,
	): Promise<Response> {
		const { limit } = this.#gateway;
		this.#now += 10;
		if (limit > 0 && this.#count++ % (limit + 1) === limit)
			return this.#fail(429, "SLOW_DOWN", { "Retry-After": "2" });
		const below = url.pathname.slice(MOUNT.length);
		if (below === "/health") return new Response("OK", { headers: this.#date() });
		const text = bytes === undefined ? "" : Buffer.from(bytes).toString();
		const route: Judged["route"] =
			method === "POST" && below === "/settings/webhooks"
				? "settings"
				: method === "GET" && /^\/mapping\/[^/]+$/.test(below)
					? "mapping"
					: method === "GET" && below === "/mapping"
						? "list"
						: "unknown";
		const isRight = this.#isRight(url, method, headers, text);
		this.seen.push({ route, isRight });
		return this.#route(route, url, text, isRight);
	}

	#route(route: Judged["route"], url: URL, text: string, isRight: boolean): Response {
		const { checks, mark, keys, contacts, parameters, mapping } = this.#gateway;
		const hasUnknownKey = route === "settings" && /"(?!inboundWebhookUrl|statusWebhookUrl)\w+":/.test(text);
		const isOddContact = route === "mapping" && !/\/(\+|%2B)\d+$/i.test(url.pathname);
		const hasSpace = url.pathname.includes("%20");
		const hasParameters = route === "mapping" && url.search !== "";
		const isBad = (when: "before" | "after"): boolean =>
			(hasUnknownKey && keys === when) ||
			(isOddContact &&
				(contacts === when || (contacts === "spaces_before" && hasSpace === (when === "before")))) ||
			(hasParameters && parameters === when);
		if (isBad("before")) return this.#fail(400, "BAD_REQUEST");
		const isChecked = checks === "all" || checks === (route === "settings" ? "posts" : "reads");
		if (isChecked && !isRight) {
			const [status = "", kind] = mark.split("_");
			const code = kind === "missing" ? "NO_MAPPING" : kind === "bad" ? "BAD_REQUEST" : "WRONG_SIGNATURE";
			return this.#fail(Number(status), code);
		}
		if (isBad("after")) return this.#fail(400, "BAD_REQUEST");
		if (route === "unknown") return this.#fail(404, "NO_ROUTE");
		if (route !== "mapping") return this.#succeed({});
		if (mapping === "forbidden") return this.#fail(403, "NOT_FOR_YOU");
		return mapping === "present" ? this.#succeed({ mapping: {} }) : this.#fail(404, "NO_MAPPING");
	}

	#isRight(url: URL, method: string, headers: Record<string, string>, text: string): boolean {
		const { path, query, nothing, secret, unit, body } = this.#gateway;
		const timestamp = headers["X-Timestamp"] ?? "";
		if (!(Math.abs(Number(timestamp) * unit - this.#now) <= 300_000)) return false;
		const below = path.endsWith("below") ? url.pathname.slice(MOUNT.length) : url.pathname;
		const signedPath = path.startsWith("decoded") ? decodeURIComponent(below) : below;
		const pairs = url.search.slice(1).split("&");
		const search =
			query === "none" ? "" : query === "raw" ? url.search : url.search && `?${pairs.sort().join("&")}`;
		const hashed = text === "" ? nothing : WRITERS[body](JSON.parse(text));
		const key = secret === "text" ? SECRETS.text : KEY;
		const hash = createHash("sha256").update(hashed).digest("hex");
		const lines = [method, signedPath + search, hash, timestamp, headers["X-Nonce"]];
		const signature = createHmac("sha256", key).update(lines.join("\n")).digest("hex");
		return headers["Authorization"] === `HMAC ${signature}`;
	}

	#date(): Record<string, string> {
		return { Date: new Date(this.#now).toUTCString() };
	}

	#succeed(data: object): Response {
		const meta = {
			requestId: "7d4f1c1e-7a51-4a52-9d2c-0b6f3d1e5a10",
			timestamp: new Date(this.#now).toISOString(),
		};
		return Response.json({ ok: true, data, meta }, { headers: this.#date() });
	}

	#fail(status: number, code: string, headers: Record<string, string> = {}): Response {
		const all = { ...this.#date(), ...headers };
		if (this.#gateway.errors === "text") return new Response(code, { status, headers: all });
		return Response.json({ ok: false, error: { code, message: "no" } }, { status, headers: all });
	}
}

/** What a diagnosis says of a gateway, beside what is true of it. */
export interface Verdict {
	/** `"certain"`: reads, queries and bodies; `"reads"`: at least a read; `"open"`: nothing. */
	readonly kind: "certain" | "reads" | "open";
	/** What is said to be certain, and is not so. */
	readonly wrong: readonly string[];
	/** How many requests were made, without those that a limit rejected. */
	readonly requests: number;
	readonly diagnosis: Diagnosis;
}

/** Diagnoses a gateway, and compares what is certain with what it accepts. */
export async function examineSynthetic(gateway: SyntheticGateway): Promise<Verdict> {
	const server = new SyntheticServer(gateway);
	const diagnosis = await diagnose(server.client(), { probeBody: true });
	const { signing, findings, hasTestedBodies, isHealthy, profileSource, checks } = diagnosis;
	const profile = profileSource === undefined ? undefined : runProfileSource(profileSource);
	const isCertain = (cause: string): boolean =>
		findings.some((finding) => finding.cause === cause && finding.certainty === "certain");
	const accepted = await findAccepted(server, profile);
	const { checks: checked, body } = gateway;
	const isReadChecked = checked === "all" || checked === "reads";
	const wrong = [
		// The base URL has a path, so the form of paths is left out only where it is open.
		...(signing?.path !== undefined && !accepted.mapping ? ["reads"] : []),
		...(signing?.query !== undefined && !accepted.list ? ["the query"] : []),
		...(hasTestedBodies && !accepted.settings ? ["bodies"] : []),
		...(signing !== undefined && !isReadChecked ? ["a form of a gateway that checks none"] : []),
		...(isHealthy === true && !(accepted.mapping && accepted.settings) ? ["healthy"] : []),
		...(isCertain("unknown_signing_form") && !UNKNOWN_BODIES.includes(body)
			? ["that the form is unknown"]
			: []),
		...(isCertain("signature_not_checked") && isReadChecked ? ["that nothing is checked"] : []),
		...["path_rewritten", "clock_off"].filter(isCertain),
		...(isCertain("not_permitted") && gateway.mapping !== "forbidden" ? ["that it is forbidden"] : []),
		...(isCertain("errors_without_envelope") && gateway.errors === "envelope" ? ["the envelope"] : []),
	];
	const passed = checks.filter(({ status }) => status !== 429);
	const isAll = signing?.query !== undefined && hasTestedBodies;
	const kind = signing === undefined ? "open" : isAll ? "certain" : "reads";
	return { kind, wrong, requests: passed.length, diagnosis };
}

/** Which real calls carry a signature that the gateway accepts. */
async function findAccepted(server: SyntheticServer, profile: Profile | undefined) {
	const client = server.client(profile);
	const url = "https://a.example/é?a=1&b=<2>&c='👋'\u2028";
	const isAccepted = async (call: () => PromiseLike<unknown>): Promise<boolean> => {
		for (;;) {
			const before = server.seen.length;
			await Promise.allSettled([call()]);
			const last = server.seen.at(-1);
			// A request that is limited is not judged.
			if (server.seen.length > before) return last?.isRight === true;
		}
	};
	return {
		mapping: await isAccepted(() => client.mappings.get("+15551234567")),
		list: await isAccepted(() => client.request("GET", "/mapping", { query: { limit: 2, cursor: "b" } })),
		settings: await isAccepted(() =>
			client.settings.setWebhooks({ inboundWebhookUrl: url, statusWebhookUrl: "" }),
		),
	};
}

/** Every combination of some choices. */
export function combine<Choices extends Readonly<Record<string, readonly unknown[]>>>(
	choices: Choices,
): { readonly [Name in keyof Choices]: Choices[Name][number] }[] {
	type One = { readonly [Name in keyof Choices]: Choices[Name][number] };
	return Object.entries(choices).reduce<object[]>(
		(all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
		[{}],
	) as One[];
}

export const FORM_CHOICES = {
	path: ["raw", "below", "decoded", "decoded_below"],
	query: ["none", "raw", "sorted"],
	nothing: ["", "{}"],
	secret: ["text", "hex", "base64", "whsec"],
	unit: [1, 1000],
	body: Object.keys(WRITERS) as (keyof typeof WRITERS)[],
} as const;

export const MANNER_CHOICES = {
	checks: ["all", "nothing", "reads", "posts"],
	mark: ["401", "403", "404", "404_missing", "400", "400_bad"],
	keys: ["never", "before", "after"],
	contacts: ["never", "before", "after"],
	parameters: ["never", "before", "after"],
	mapping: ["present", "missing", "forbidden"],
	limit: [0, 7],
	errors: ["envelope", "text"],
} as const;
