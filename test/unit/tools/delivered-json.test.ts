import fc from "fast-check";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { signWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { writeDeliveredJson } from "../../../src/tools/delivered-json.ts";
import { cases } from "../../support/cases.ts";

const SECRET = "local-webhook-secret";

const LAYOUTS: readonly ((value: unknown) => string)[] = [
	...[undefined, 1, 2, 3, 4, 8, "\t"].map(
		(indent) => (value: unknown) => JSON.stringify(value, undefined, indent),
	),
	// Python, and its separators; MySQL and PostgreSQL write it like that, too.
	(value) => JSON.stringify(value, undefined, 1).replace(/,\n */g, ", ").replace(/\n */g, ""),
	(value) =>
		JSON.stringify(value, undefined, 1).replace(/,\n */g, ", ").replace(/\n */g, "").replace(/": /g, '":'),
	// Ruby with spaces in its objects.
	(value) => JSON.stringify(value, undefined, 1).replace(/\n */g, " "),
];

const toEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What Python, PHP, Go, Ruby, Jackson and .NET escape by default or with a usual option. */
const ESCAPES: readonly ((json: string) => string)[] = [
	(json) => json,
	(json) => json.replaceAll("/", "\\/"),
	(json) => json.replace(/[\u007f-\uffff]/g, toEscape),
	(json) => json.replaceAll("/", "\\/").replace(/[\u007f-\uffff]/g, toEscape),
	(json) => json.replace(/[<>&\u2028\u2029]/g, toEscape),
	(json) => json.replace(/[<>&'+`\u007f-\uffff]/g, (unit) => toEscape(unit).toUpperCase().replace("U", "u")),
];

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

/** What a receiver may verify that parses a body and writes it again. */
function writeAgain(body: string): string[] {
	const value: unknown = JSON.parse(body);
	return [value, sorted(value)].flatMap((ordered) =>
		LAYOUTS.flatMap((write) =>
			ESCAPES.flatMap((writeEscapes) => {
				const json = writeEscapes(write(ordered));
				return [json, `${json}\n`];
			}),
		),
	);
}

/** The layout goes and the strings stay as they are, as json.Compact of Go does it. */
function compact(body: string): string {
	return body.replace(/("(?:[^"\\]|\\.)*")|\s/g, "$1");
}

const text = fc.string({ unit: fc.constantFrom(...'aZ é"\\/\n\u2028😀<:,{}1', "\\u0065", '"chatGuid": "') });
const payloads = fc.oneof(
	fc.dictionary(fc.oneof(text, fc.constantFrom("chatGuid", "", "text")), fc.jsonValue()),
	fc.record({ type: text, text, chatGuid: text, timestamp_ms: fc.integer(), list: fc.array(text) }),
	fc.array(fc.jsonValue()),
);

/** Whether a string has a letter that belongs to no escape. */
function hasLetter(json: string): boolean {
	return (json.match(/"(?:[^"\\]|\\.)*"/g) ?? []).some((found) =>
		/[a-z]/i.test(found.replace(/\\u.{4}|\\./g, "")),
	);
}

test("no serializer writes the bytes of a body again, and they mean the same", () => {
	fc.assert(
		fc.property(payloads, (payload) => {
			const json = JSON.stringify(payload);
			const body = writeDeliveredJson(payload);
			expect(JSON.stringify(JSON.parse(body))).toBe(JSON.stringify(JSON.parse(json)));
			expect(writeAgain(body)).not.toContain(body);
			expect(compact(body)).not.toBe(body);
			expect(compact(body) !== json).toBe(hasLetter(json));
			expect(writeDeliveredJson(JSON.parse(json))).toBe(body);
		}),
		{ numRuns: cases(2_000) },
	);
});

test.each([
	[{}, "{ }"],
	[[], "[ ]"],
	[{ 1: 2 }, '{ "1": 2}'],
	[{ a: 1, b: true }, String.raw`{ "a": 1, "\u0062": true}`],
	[{ a: "b", c: ["d", "1"], e: 1 }, String.raw`{ "a": "b", "c": ["\u0064", "1"], "e": 1}`],
	[{ chatGuid: "+1;A", text: "b" }, String.raw`{ "chatGuid": "+1;\u0041", "text": "b"}`],
	[{ chatGuid: "", text: "\n\u0007z" }, String.raw`{ "chatGuid": "", "text": "\n\u0007\u007a"}`],
	[
		{ data: { chatGuid: "a" }, text: "chatGuid" },
		String.raw`{ "data": {"chatGuid": "\u0061"}, "text": "chatGuid"}`,
	],
	[{ text: "chatGuid", id: "a", at: 1 }, String.raw`{ "text": "chatGuid", "id": "\u0061", "at": 1}`],
])("%j", (payload, body) => {
	expect(writeDeliveredJson(payload)).toBe(body);
});

const KINDS = ["inbound_message", "inbound_reaction", "status"] as const;

test.each(
	KINDS.flatMap(
		(kind) =>
			[
				[kind, { text: "Hello" }],
				[kind, { text: "" }],
				[kind, { text: undefined, originalText: undefined }],
			] as const,
	),
)("of %s with %j nothing but one letter of chatGuid is escaped", async (kind, overrides) => {
	const body = await createWebhookRequest(kind, { ...overrides, timestamp_ms: 1_767_225_600_000 }).text();
	expect(body.match(/\\.{5}/g)).toEqual([String.raw`\u006e`]);
	expect(body).toContain(String.raw`"chatGuid": "\u006eative;-;+15551234567"`);
	expect(body).toContain('"timestamp_ms": 1767225600000');
});

describe("a receiver that verifies JSON that it wrote again", () => {
	const RECEIVERS: Readonly<Record<number, (body: string) => string>> = {
		200: (body) => body,
		401: (body) => JSON.stringify(JSON.parse(body)),
	};

	/** Responds as a receiver that verifies what `read` makes of the body. */
	async function respond(request: Request, read: (body: string) => string): Promise<Response> {
		const { headers } = request;
		const body = read(await request.text());
		const timestamp = Number(headers.get("X-SVC-Timestamp"));
		const signed = signWebhook({ body, secret: SECRET, timestamp });
		const isRight = signed["X-SVC-Signature"] === headers.get("X-SVC-Signature");
		return new Response(null, { status: isRight ? 200 : 401 });
	}

	test.each(Object.entries(RECEIVERS))(
		"gets %s for all that the local gateway delivers",
		async (status, read) => {
			const bodies = new Map<string, Set<string>>();
			const statuses: number[] = [];
			await using local = createLocalGateway({
				webhooks: { retryDelaysMs: [1_000] },
				deliverTo: async (request) => {
					const id = request.headers.get("X-SVC-Event-Id") ?? "";
					bodies.set(id, (bodies.get(id) ?? new Set()).add(await request.clone().text()));
					const response = await respond(request, read);
					statuses.push(response.status);
					return response;
				},
			});
			local.faults.webhooks.repeat({ times: 1 });
			await local.contact("+15550001005").reply("");
			await local.settled();
			expect(statuses).toEqual([Number(status), Number(status)]);
			expect([...bodies.values()].map(({ size }) => size)).toEqual([1]);
		},
	);

	test.each(
		KINDS.flatMap((kind) => Object.entries(RECEIVERS).map(([status, read]) => [kind, status, read] as const)),
	)("gets the same for %s of createWebhookRequest: %s", async (kind, status, read) => {
		const response = await respond(createWebhookRequest(kind), read);
		expect(response.status).toBe(Number(status));
	});
});
