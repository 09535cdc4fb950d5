import { inspect } from "node:util";
import fc from "fast-check";
import {
	type ApiError,
	defineOperation,
	type InputError,
	isMessagingGatewayError,
	type MessagingGateway,
	type Schema,
} from "messaging-gateway";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { cases } from "../../../support/cases.ts";
import { SECRET, type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import {
	AGENT,
	brokenBody,
	DUPLICATE,
	errorResponse,
	html,
	json,
	MESSAGE,
	networkError,
	ok,
	REQUEST_ID,
	text,
	USER,
} from "../../../support/wire.ts";
import { type Seen, watch } from "./shown.ts";

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
	"555/123/4567",
	"555_123_4567",
	"555·123·4567",
	"\u001b",
	TEXT,
	JSON.stringify(TEXT).slice(1, -1),
	"Meet me",
	"Meet%20me",
	"old harbour",
];

function expectNothingSensitive({ error, shown, requests }: Seen): void {
	for (const text of SENSITIVE) expect(shown).not.toContain(text);
	if (error instanceof Error) expect(error.message).not.toMatch(/\p{Cc}/u);
	for (const { headers } of requests) {
		const signature = headers.get("Authorization")?.slice(5);
		if (signature !== undefined) expect(shown).not.toContain(signature);
	}
}

const sendText = (gateway: MessagingGateway) =>
	gateway.messages.sendText({ to: USER, from: AGENT, text: TEXT });
const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);

const labels = z.object({ labels: z.record(z.string(), z.object({ name: z.string() })) });

describe("every way to fail", () => {
	test.each<[code: string, steps: Step[]]>([
		["bad_request", [errorResponse(400)]],
		["authentication_failed", [errorResponse(401)]],
		["permission_denied", [errorResponse(403)]],
		["not_found", [errorResponse(404)]],
		["conflict", [errorResponse(409)]],
		["duplicate_message", [errorResponse(409, { details: DUPLICATE })]],
		["unprocessable", [errorResponse(422)]],
		["rate_limited", [errorResponse(429)]],
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

	test("a success shows nothing either", async () => {
		expectNothingSensitive(await watch([errorResponse(429), ok({ message: MESSAGE })], sendText));
	});
});

describe("gateway.request with a number written into the path", () => {
	test.each([
		"/mapping/+15551234567",
		"/mapping/%2B15551234567/log",
		"/mapping/+1-555-123-4567",
		"/mapping/15551234567",
		"/mapping/+1/555/123/4567",
		"/mapping/1_555_123_4567",
		"/mapping/%2B1%C2%B7555%C2%B7123%C2%B74567",
	])("%s shows nothing of it", async (path) => {
		expectNothingSensitive(await watch([errorResponse(404)], (gateway) => gateway.request("GET", path)));
	});

	test("other paths are shown as they are", async () => {
		const params = { id: USER };
		const { error } = await watch([errorResponse(404)], (gateway) =>
			gateway.request("GET", "/v2/agent/{id}/log", { params }),
		);
		expect((error as Error).message).toMatch(/^GET \/v2\/agent\/\{id\}\/log got 404/);
	});
});

test("a clock is explained, whatever was sent", async () => {
	const seen = await watch(
		[errorResponse(401, { message: "the clock is off", details: { reason: "timestamp" } })],
		(gateway) => gateway.messages.sendText({ to: USER, text: "x" }),
	);
	expect((seen.error as Error).message).toContain("compare this machine's clock with the gateway's");
});

test("the gateway's own message, code and id are available unchanged", async () => {
	const { error, shown } = await watch(
		[json(404, { ok: false, error: { code: "no-4711", message: "gone\nfor good", requestId: "r-42" } })],
		getMapping,
	);
	expect(error).toMatchObject({
		gatewayCode: "no-4711",
		gatewayMessage: "gone\nfor good",
		requestId: "r-42",
	});
	for (const words of ["no-4711", "gone", "r-42"]) expect(shown).not.toContain(words);
	expect((error as Error).message).toBe(
		"GET /mapping/{toNumber} got 404. error.gatewayMessage has the gateway's reason: fix that, or ask the gateway's operator",
	);
});

test("a code in capitals and a UUID are shown: in the message, in JSON and in hooks", async () => {
	const { error, shown } = await watch([errorResponse(404, { code: "MAPPING_NOT_FOUND" })], getMapping);
	expect((error as Error).message).toBe(
		`No agent is mapped to this number. Create a mapping, or send to it first. GET /mapping/{toNumber} got 404 MAPPING_NOT_FOUND (request ${REQUEST_ID})`,
	);
	expect(JSON.parse(JSON.stringify(error))).toMatchObject({
		gatewayCode: "MAPPING_NOT_FOUND",
		requestId: REQUEST_ID,
	});
	expect(shown).toContain(`requestId: '${REQUEST_ID}'`);
});

describe("an error of a user's function", () => {
	test("of appSecret has its message left out: a parser quotes what it could not parse", async () => {
		const appSecret = () => JSON.parse("sk_live_Zm9vYmFyQ") as string;
		const { gateway } = scriptGateway([], { appSecret });
		const error = await gateway.mappings.get(USER).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ code: "configuration", cause: { name: "SyntaxError" } });
		expect(inspect(error, { depth: 10 })).not.toContain("sk_live");
	});

	test("of a signer has its message left out: it could contain anything", async () => {
		const said = `refused ${JSON.stringify({ text: TEXT })}`;
		const signer = () => Promise.reject(Object.assign(new RangeError(said), { code: "KEY_DISABLED" }));
		const { gateway } = scriptGateway([], { appSecret: undefined, signer });
		const error = await sendText(gateway).then(undefined, (reason: unknown) => reason);
		expect(error).toMatchObject({
			code: "signer_failed",
			outcome: "not_sent",
			cause: { name: "RangeError", code: "KEY_DISABLED", message: "KEY_DISABLED" },
		});
		expect(inspect(error, { depth: 10 })).not.toContain("harbour");
	});
});

describe("the path of an issue", () => {
	const operation = { id: "labels.set", method: "POST", path: "/labels" } as const;

	test("has the keys that the schema names, and a star for those of a record", async () => {
		const given = { labels: { [USER]: { name: 7 } } } as never;
		const input = await watch([], (gateway) => gateway.call(setLabels, given));
		const data = await watch([ok(given)], (gateway) =>
			gateway.call(setLabels, { labels: { x: { name: "x" } } }),
		);
		for (const seen of [input, data]) {
			expect(seen.error).toMatchObject({ issues: [{ path: "labels.*.name", message: "must be a string" }] });
			expect((seen.error as InputError).schemaIssues[0]?.path).toBe(`labels.${USER}.name`);
			expectNothingSensitive(seen);
		}
	});

	test("has only stars if the schema's keys are unknown; schemaIssues has its messages", async () => {
		const strange: Schema<object> = {
			"~standard": {
				version: 1,
				vendor: "nobody",
				validate: () => ({ issues: [{ message: `not ${TEXT}`, path: ["to", { key: USER }, 0] }] }),
			},
		};
		const seen = await watch([], (gateway) =>
			gateway.call(defineOperation({ ...operation, input: strange, data: strange }), {}),
		);
		expect(seen.error).toMatchObject({
			message: "labels.set: *.*.* is invalid. schemaIssues says it in your schema's words",
			issues: [{ path: "*.*.*", message: "is invalid" }],
			schemaIssues: [{ path: `to.${USER}.0`, message: `not ${TEXT}` }],
		});
		expectNothingSensitive(seen);
	});

	test("a key that is not known is not named, but those that are", async () => {
		const seen = await watch([], (gateway) => gateway.mappings.update(USER, { [digits]: 1 } as never));
		expect((seen.error as Error).message).toContain(
			"has an unknown field (hidden, since a name may be a secret): use toNumber, maxConsecutiveMessages",
		);
		expect((seen.error as InputError).schemaIssues[1]?.message).toBe(`has unknown fields: ${digits}`);
		expectNothingSensitive(seen);
	});
});

describe("the fields that a gateway rejects", () => {
	const field = (name: string) => ({ field: name, issue: "bad", message: TEXT });

	test("are shown by our names if they are fields of the input", async () => {
		const details = ["text", "status_callback", digits, "text.length", "mood", "text"].map(field);
		const seen = await watch([errorResponse(400, { details })], sendText);
		expect((seen.error as Error).message).toBe(
			`Not sent: POST /message/text got 400 SOME_CODE (request ${REQUEST_ID}): the gateway rejects "text", "statusCallback". ` +
				"Correct the input: error.fieldErrors says why",
		);
		expect((seen.error as ApiError).fieldErrors).toEqual(details);
		expectNothingSensitive(seen);
	});

	test.each([["attachments.0.url"], ["attachments[0].url"]])("%s is one", async (name) => {
		const { error } = await watch([errorResponse(400, { details: [field(name)] })], (gateway) =>
			gateway.messages.sendAttachments({ to: USER, attachments: [{ url: "https://files.example/a" }] }),
		);
		expect((error as Error).message).toContain(
			`): the gateway rejects "${name}". Correct the input: error.fieldErrors says why`,
		);
	});

	test.each([digits, "5551234"])("an index that could be a number is not named: %s", async (index) => {
		const names = [`attachments.${index}.url`, `attachments[${index}].url`, `attachments.${index}`];
		const seen = await watch([errorResponse(400, { details: names.map(field) })], (gateway) =>
			gateway.messages.sendAttachments({ to: USER, attachments: [{ url: "https://files.example/a" }] }),
		);
		expect((seen.error as Error).message).toContain("). Correct the input: error.fieldErrors says why");
		expectNothingSensitive(seen);
	});

	test("are not shown if they are unknown", async () => {
		const { error } = await watch([errorResponse(400, { details: [field("mood")] })], sendText);
		expect((error as Error).message).toContain("). Correct the input: error.fieldErrors says why");
	});
});

/**
 * What could be a number, a text or a command to a terminal. It starts like nothing that we write, and is no word in
 * capitals, which a gateway's code may be.
 */
const secret = fc
	.string({
		unit: fc.constantFrom(..."0123456789/_·-.:+ ()abcXYZ\n\r\t\u001b\u009b\u202e😀é"),
		minLength: 6,
		maxLength: 40,
	})
	.map((value) => `7q${value}`);

const setLabels = defineOperation({
	id: "labels.set",
	method: "POST",
	path: "/labels",
	input: labels,
	data: labels,
});

/** What a careless gateway or proxy says of a request. */
function echo(words: string): Step {
	return ({ url, headers, body }) => {
		const said = `cannot route ${url} ${body} ${headers.get("Authorization")} ${words}`;
		return errorResponse(400, { code: said, message: said, details: [{ field: said }] });
	};
}

/** Every place in which somebody else's words can stand. */
const responses: [place: string, step: (words: string) => Step][] = [
	["a message", (words) => errorResponse(400, { message: words })],
	["a code", (words) => errorResponse(404, { code: words })],
	["a timestamp's reason", (words) => errorResponse(401, { details: { reason: `timestamp ${words}` } })],
	["a field", (words) => errorResponse(400, { details: [{ field: words, issue: words, message: words }] })],
	["a field below a known one", (words) => errorResponse(400, { details: [{ field: `text.${words}` }] })],
	["a key of the details", (words) => errorResponse(409, { details: { [words]: words } })],
	["a key of the data", (words) => ok({ [words]: words, labels: { [words]: words } })],
	["an attachment", (words) => ok({ message: { ...MESSAGE, attachments: [words, { [words]: words }] } })],
	["a value of the data", (words) => ok({ message: { ...MESSAGE, text: 7, note: words }, mapping: words })],
	["a duplicate", (words) => errorResponse(409, { details: { ...DUPLICATE, message: words } })],
	[
		"a request id",
		(words) => json(400, { ok: false, error: { code: "BAD", message: "no", requestId: words } }),
	],
	["an echo of the request", (words) => echo(words)],
	["a page", (words) => text(502, words)],
	["a page that succeeds", (words) => text(200, words)],
	["a header", (words) => text(500, "", { "X-Request-Id": words.replace(/[^\x20-\x7e]/g, "7q") })],
	["a network error", (words) => networkError("ECONNRESET", words)],
	["an error of a library", (words) => () => Promise.reject(new Error(words, { cause: new Error(words) }))],
	[
		"a network error's name and code",
		(words) => () => Promise.reject(Object.assign(new Error("x"), { name: words, code: words })),
	],
];

const calls: ((gateway: MessagingGateway, words: string) => PromiseLike<unknown>)[] = [
	(gateway, words) => gateway.messages.sendText({ to: USER, text: words }),
	(gateway) => gateway.agents.list(),
	(gateway, words) => gateway.request("GET", `/log/${encodeURIComponent(words)}`),
	(gateway, words) => gateway.call(setLabels, { labels: { [words]: { name: words } } }),
];

test.each(responses)("the contents of %s are never shown", async (_place, step) => {
	await fc.assert(
		fc.asyncProperty(secret, fc.constantFrom(...calls), async (words, call) => {
			const { error, shown, requests } = await watch([step(words)], (gateway) => call(gateway, words));
			expectHidden(words, error, shown);
			const signatures = requests.map(({ headers }) => headers.get("Authorization")?.slice(5) ?? "");
			for (const own of [SECRET, USER.slice(1), ...signatures]) expect(shown).not.toContain(own);
		}),
		{ numRuns: cases(60) },
	);
});

const inputs: [place: string, call: (gateway: MessagingGateway, words: string) => PromiseLike<unknown>][] = [
	["a key", (gateway, words) => gateway.messages.sendText({ to: USER, text: "x", [words]: words } as never)],
	["a record's key", (gateway, words) => gateway.call(setLabels, { labels: { [words]: 7 } } as never)],
	[
		"a key of the query",
		(gateway, words) => gateway.request("GET", "/x", { query: { [words]: {} as never } }),
	],
	["a key of the options", (gateway, words) => gateway.request("GET", "/x", { [words]: 1 } as never)],
	[
		"an attachment",
		(gateway, words) => gateway.messages.sendAttachments({ to: USER, attachments: [words as never] }),
	],
	["a number", (gateway, words) => gateway.mappings.get(words)],
	[
		"half of a character",
		(gateway, words) => gateway.messages.sendText({ to: USER, text: `${words}\ud800` }),
	],
];

test.each(inputs)("whatever stands in the input as %s is shown nowhere", async (_place, call) => {
	await fc.assert(
		fc.asyncProperty(secret, async (words) => {
			const { error, shown, requests } = await watch([], (gateway) => call(gateway, words));
			expect(requests).toEqual([]);
			expectHidden(words, error, shown);
		}),
		{ numRuns: cases(60) },
	);
});

function expectHidden(words: string, error: unknown, shown: string): void {
	for (const form of [words, JSON.stringify(words).slice(1, -1), encodeURIComponent(words), "7q"]) {
		expect(shown).not.toContain(form);
	}
	if (error instanceof Error) expect(error.message).not.toMatch(/\p{Cc}/u);
}
