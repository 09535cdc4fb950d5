import { inspect } from "node:util";
import {
	type ApiError,
	type CallError,
	defineOperation,
	type InputError,
	isMessagingGatewayError,
	type MessagingGateway,
	type Schema,
} from "messaging-gateway";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { SECRET, type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { type Seen, watch } from "../../../support/shown.ts";
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

	test("shows nothing of an invalid input", async () => {
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
		"GET /mapping/{toNumber} got 404. gatewayMessage has the gateway's message",
	);
});

test("a code in capitals and a UUID are shown: in the message, in JSON and in hooks", async () => {
	const { error, shown } = await watch([errorResponse(404, { code: "MAPPING_NOT_FOUND" })], getMapping);
	expect((error as Error).message).toContain(`404 MAPPING_NOT_FOUND (request ${REQUEST_ID})`);
	expect(JSON.parse(JSON.stringify(error))).toMatchObject({
		gatewayCode: "MAPPING_NOT_FOUND",
		requestId: REQUEST_ID,
	});
	expect(shown).toContain(`requestId: '${REQUEST_ID}'`);
});

test("the body and the details are available", async () => {
	const details = { seen: TEXT };
	const { error } = await watch([errorResponse(400, { details })], sendText);
	expect(error).toMatchObject({ details });
	expect((error as CallError & { readBody(): string }).readBody()).toContain("old harbour");
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
	const labels = z.object({ labels: z.record(z.string(), z.object({ name: z.string() })) });
	const operation = { id: "labels.set", method: "POST", path: "/labels" } as const;

	test("has the keys that the schema names, and a star for those of a record", async () => {
		const given = { labels: { [USER]: { name: 7 } } } as never;
		const setLabels = defineOperation({ ...operation, input: labels, data: labels });
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
			message: "labels.set: *.*.* is invalid. schemaIssues has the schema's own messages",
			issues: [{ path: "*.*.*", message: "is invalid" }],
			schemaIssues: [{ path: `to.${USER}.0`, message: `not ${TEXT}` }],
		});
		expectNothingSensitive(seen);
	});

	test("a key that is not known is not named, but those that are", async () => {
		const seen = await watch([], (gateway) => gateway.mappings.update(USER, { [digits]: 1 } as never));
		expect((seen.error as Error).message).toContain(
			"has an unknown field: use toNumber, maxConsecutiveMessages",
		);
		expect((seen.error as InputError).schemaIssues[1]?.message).toBe(`has unknown fields: ${digits}`);
		expectNothingSensitive(seen);
	});

	test.each<[title: string, call: (gateway: MessagingGateway) => PromiseLike<unknown>]>([
		["a query", (gateway) => gateway.request("GET", "/x", { query: { [digits]: {} as never } })],
		["the options", (gateway) => gateway.request("GET", "/x", { [digits]: 1 } as never)],
		["a call's options", (gateway) => gateway.mappings.get(USER, { [digits]: 1 } as never)],
	])("a key of %s is not named where it is no word", async (_title, call) => {
		const seen = await watch([], call);
		expect(isMessagingGatewayError(seen.error)).toBe(true);
		expectNothingSensitive(seen);
	});
});

describe("the fields that a gateway rejects", () => {
	const field = (name: string) => ({ field: name, issue: "bad", message: TEXT });

	test("are shown by our names if they are fields of the input", async () => {
		const details = ["text", "status_callback", digits, "text.length", "mood", "text"].map(field);
		const seen = await watch([errorResponse(400, { details })], sendText);
		expect((seen.error as Error).message).toBe(
			"POST /message/text got 400 SOME_CODE: text, statusCallback; see fieldErrors " +
				`(request ${REQUEST_ID}). gatewayMessage has the gateway's message`,
		);
		expect((seen.error as ApiError).fieldErrors).toEqual(details);
		expectNothingSensitive(seen);
	});

	test.each([["attachments.0.url"], ["attachments[0].url"]])("%s is one", async (name) => {
		const { error } = await watch([errorResponse(400, { details: [field(name)] })], (gateway) =>
			gateway.messages.sendAttachments({ to: USER, attachments: [{ url: "https://files.example/a" }] }),
		);
		expect((error as Error).message).toContain(`400 SOME_CODE: ${name}; see fieldErrors`);
	});

	test.each([digits, "5551234"])("an index that could be a number is not named: %s", async (index) => {
		const names = [`attachments.${index}.url`, `attachments[${index}].url`, `attachments.${index}`];
		const seen = await watch([errorResponse(400, { details: names.map(field) })], (gateway) =>
			gateway.messages.sendAttachments({ to: USER, attachments: [{ url: "https://files.example/a" }] }),
		);
		expect((seen.error as Error).message).toContain("400 SOME_CODE: see fieldErrors (");
		expectNothingSensitive(seen);
	});

	test("are not shown if they are unknown", async () => {
		const { error } = await watch([errorResponse(400, { details: [field("mood")] })], sendText);
		expect((error as Error).message).toContain("400 SOME_CODE: see fieldErrors (");
	});
});
