import { inspect } from "node:util";
import { type CallError, isMessagingGatewayError, type MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { settle } from "../../support/counting-clock.ts";
import {
	SECRET,
	type SentRequest,
	type Step,
	scriptGateway,
	silence,
} from "../../support/scripted-gateway.ts";
import {
	AGENT,
	brokenBody,
	DUPLICATE,
	html,
	json,
	MESSAGE,
	networkError,
	ok,
	refusal,
	text,
	USER,
} from "../../support/wire.ts";

const TEXT = 'Meet me "at nine"\nbehind the old harbour — bring Zoë';
const digits = USER.slice(1);

/** Everything that must not be seen anywhere, in the ways in which it can be written. */
const SENSITIVE = [
	SECRET,
	digits,
	AGENT.slice(1),
	encodeURIComponent(USER),
	"+1 (555) 123-4567",
	"555-123-4567",
	TEXT,
	JSON.stringify(TEXT).slice(1, -1),
	"Meet me",
	"Meet%20me",
	"old harbour",
];

interface Seen {
	error: unknown;
	shown: string;
	requests: readonly SentRequest[];
}

/** Makes a call that fails or succeeds, and collects all that anyone could print of it. */
async function watch(
	steps: readonly Step[],
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
): Promise<Seen> {
	const lines: unknown[] = [];
	const log = (line: unknown) => lines.push(line);
	const hook = (info: unknown) => lines.push(inspect(info, { depth: 10 }), JSON.stringify(info));
	const { gateway, clock, requests } = scriptGateway(steps, {
		logger: { debug: log, info: log, warn: log, error: log },
		logLevel: "debug",
		hooks: { onRequest: hook, onResponse: hook, onRetry: hook, onError: hook },
	});
	const made = call(gateway);
	const error = await settle(clock, made).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	const things = [gateway, made, error, (error as Error | undefined)?.cause];
	const shown = things.flatMap((thing) => [
		inspect(thing, { depth: 10 }),
		JSON.stringify(thing) ?? "",
		String(thing),
	]);
	if (error instanceof Error) shown.push(error.message, error.stack ?? "", JSON.stringify({ ...error }));
	return { error, shown: [...lines, ...shown].join("\n"), requests };
}

function expectNothingSensitive({ shown, requests }: Seen): void {
	for (const text of SENSITIVE) expect(shown).not.toContain(text);
	for (const { headers } of requests) {
		const signature = headers.get("Authorization")?.slice(5);
		if (signature !== undefined) expect(shown).not.toContain(signature);
	}
}

const sendText = (gateway: MessagingGateway) =>
	gateway.messages.sendText({ to: USER, from: AGENT, text: TEXT });
const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);

/** An echo of what was sent, as a careless gateway or proxy would put it into its own words. */
const echoes: [title: string, echo: (request: SentRequest) => string][] = [
	["the body", ({ body }) => `invalid request: ${body}`],
	["the text as it is", () => `the text ${TEXT} is not allowed`],
	["the text in JSON", () => `not allowed: ${JSON.stringify({ text: TEXT })}`],
	["the beginning of the text", () => `not allowed: ${TEXT.slice(0, 24)}…`],
	["the end of the text", () => `not allowed: …${TEXT.slice(-24)}`],
	["the text in upper case", () => `NOT ALLOWED: ${TEXT.toUpperCase()}`],
	["the text on one line", () => `not allowed: ${TEXT.replace(/\s+/g, " ")}`],
	["the text, percent-encoded", () => `not allowed: ${encodeURIComponent(TEXT)}`],
	["the number", () => `no mapping for ${USER}`],
	["the number without its plus", () => `no mapping for ${digits}`],
	["the number as people write it", () => "no mapping for +1 (555) 123-4567"],
	["the URL", ({ url }) => `cannot route ${url}`],
	["the path", ({ url }) => `cannot route ${new URL(url).pathname}`],
	["the encoded number", () => `cannot route ${encodeURIComponent(USER)}`],
	["the signature", ({ headers }) => `bad header ${headers.get("Authorization")}`],
];

describe.each(echoes)("an answer that repeats %s", (title, echo) => {
	const calls = title.includes("text") ? [sendText] : [sendText, getMapping];

	test("shows nothing of it", async () => {
		const answers: ((request: SentRequest) => Response)[] = [
			(request) =>
				refusal(400, {
					message: echo(request),
					details: [{ field: "text", issue: "bad", message: echo(request) }],
				}),
			(request) => refusal(400, { details: { seen: echo(request) } }),
			(request) =>
				refusal(409, { message: echo(request), details: { ...DUPLICATE, message: echo(request) } }),
			(request) => refusal(500, { message: echo(request) }),
			(request) => text(502, echo(request)),
			(request) => text(200, echo(request)),
			(request) => ok({ message: { ...MESSAGE, text: 7, note: echo(request) }, mapping: echo(request) }),
			(request) => text(400, "", { "X-Request-Id": echo(request).replace(/[^\x20-\x7e]/g, "?") }),
		];
		for (const call of calls) {
			for (const answer of answers) expectNothingSensitive(await watch([answer], call));
		}
	});

	test("nor does a network error that repeats it, or its cause", async () => {
		for (const call of calls) {
			for (const wrap of [
				(message: string) => new Error(message),
				(message: string) => new TypeError("fetch failed", { cause: new Error(message) }),
				(message: string) => networkError("ECONNRESET", message),
				(message: string) => Object.assign(new Error("x"), { code: message, name: message }),
			]) {
				const step = (request: SentRequest) => Promise.reject(wrap(echo(request)));
				const seen = await watch([step], call);
				expect(seen.error).toMatchObject({ code: "connection_failed" });
				expectNothingSensitive(seen);
			}
		}
	});
});

describe("every way to fail", () => {
	test.each<[code: string, steps: Step[]]>([
		["bad_request", [refusal(400)]],
		["authentication_failed", [refusal(401)]],
		["permission_denied", [refusal(403)]],
		["not_found", [refusal(404)]],
		["conflict", [refusal(409)]],
		["duplicate_message", [refusal(409, { details: DUPLICATE })]],
		["unprocessable", [refusal(422)]],
		["rate_limited", [refusal(429)]],
		["server_error", [html(500)]],
		[
			"unexpected_status",
			[text(302, "", { Location: `https://elsewhere.example/${encodeURIComponent(USER)}` })],
		],
		["unexpected_response", [json(200, { ok: true })]],
		["connection_failed", [networkError("ECONNREFUSED")]],
		["connection_failed", [brokenBody(200)]],
		["timeout", [silence]],
	])("shows nothing of the request: %s", async (code, steps) => {
		for (const call of [sendText, getMapping]) {
			const seen = await watch(steps, call);
			expect(seen.error).toMatchObject({ code });
			expect(isMessagingGatewayError(seen.error)).toBe(true);
			expectNothingSensitive(seen);
		}
	});

	test("shows nothing of an input that is refused", async () => {
		for (const call of [
			(gateway: MessagingGateway) => gateway.mappings.get("15557654321"),
			(gateway: MessagingGateway) => gateway.messages.sendText({ to: "15557654321", text: TEXT }),
			(gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: TEXT, mood: TEXT } as never),
			(gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: `${TEXT}\ud800` }),
			(gateway: MessagingGateway) => gateway.request("POST", "/x", { body: { text: TEXT, n: 1n } }),
		]) {
			const seen = await watch([], call);
			expect(seen.error).toMatchObject({ code: "invalid_input" });
			expect(seen.shown).not.toContain("15557654321");
			// The number in our own hint is nobody's.
			expectNothingSensitive({ ...seen, shown: seen.shown.replaceAll("such as +15551234567", "") });
		}
	});

	test("a success shows nothing either", async () => {
		expectNothingSensitive(await watch([refusal(429), ok({ message: MESSAGE })], sendText));
	});
});

describe("gateway.request with a number written into the path", () => {
	test.each([
		"/mapping/+15551234567",
		"/mapping/%2B15551234567/log",
		"/mapping/+1-555-123-4567",
		"/mapping/15551234567",
	])("%s shows nothing of it", async (path) => {
		expectNothingSensitive(await watch([refusal(404)], (gateway) => gateway.request("GET", path)));
	});

	test("other paths are shown as they are", async () => {
		const { error } = await watch([refusal(404)], (gateway) =>
			gateway.request("GET", "/v2/agent/{id}/log", { params: { id: USER } }),
		);
		expect((error as Error).message).toMatch(/^GET \/v2\/agent\/\{id\}\/log was answered 404/);
	});
});

describe("a short text", () => {
	test.each([
		["Tulip", "the text 'tulip' is not allowed", true],
		["Tulip", "TULIP", true],
		["🌷🌷", "no emoji: 🌷🌷", true],
		["ok", "not OK", true],
		["ok", "the token has expired", false],
		["tulip", "two tulips", false],
	])("%j in %j: left out is %s", async (sent, said, isLeftOut) => {
		const { error } = await watch([refusal(400, { message: said })], (gateway) =>
			gateway.messages.sendText({ to: USER, text: sent }),
		);
		expect((error as Error).message.includes(said)).toBe(!isLeftOut);
		expect((error as Error).message.includes("is left out")).toBe(isLeftOut);
	});
});

test("what the gateway says stays where it repeats nothing", async () => {
	const { error } = await watch([refusal(400, { message: "field text is 3 characters too long" })], sendText);
	expect((error as Error).message).toContain("field text is 3 characters too long");
});

test("the body and the details are there for whoever asks", async () => {
	const details = { seen: TEXT };
	const { error } = await watch([refusal(400, { details })], sendText);
	expect(error).toMatchObject({ details });
	expect((error as CallError & { readBody(): string }).readBody()).toContain("old harbour");
});

describe("what a function of the user's own fails with", () => {
	test("an appSecret function's message is left out: a parser quotes what it could not parse", async () => {
		const appSecret = () => JSON.parse("sk_live_Zm9vYmFyQ") as string;
		const { gateway } = scriptGateway([], { appSecret });
		const error = await gateway.mappings.get(USER).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ code: "configuration", cause: { name: "SyntaxError" } });
		expect(inspect(error, { depth: 10 })).not.toContain("sk_live");
	});

	test("a signer's message is left out where it repeats the request, and kept where it does not", async () => {
		const fail = async (message: string): Promise<string> => {
			const signer = () => Promise.reject(new Error(message));
			const { gateway } = scriptGateway([], { appSecret: undefined, signer });
			const error = await sendText(gateway).then(undefined, (reason: unknown) => reason);
			expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
			return inspect(error, { depth: 10 });
		};
		expect(await fail(`refused ${JSON.stringify({ text: TEXT })}`)).not.toContain("harbour");
		expect(await fail("the key is disabled")).toContain("the key is disabled");
	});
});

test.each(["sk_live_Zm9vYmFyQmF6cXV4Zm9v", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x"])(
	"a long token in the gateway's message is hidden: %s",
	async (token) => {
		const { gateway } = scriptGateway([
			json(400, { ok: false, error: { code: "BAD", message: `the token ${token} is over`, requestId: "r" } }),
		]);
		const error = await getMapping(gateway).catch((reason: unknown) => reason);
		expect(String(error)).toContain("the token …");
		expect(String(error)).not.toContain(token.slice(0, 20));
	},
);
