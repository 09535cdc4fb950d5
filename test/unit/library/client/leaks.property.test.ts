import fc from "fast-check";
import { defineOperation, type MessagingGateway } from "messaging-gateway";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { cases } from "../../../support/cases.ts";
import { SECRET, type Step } from "../../../support/scripted-gateway.ts";
import { watch } from "../../../support/shown.ts";
import {
	DUPLICATE,
	errorResponse,
	json,
	MESSAGE,
	networkError,
	ok,
	text,
	USER,
} from "../../../support/wire.ts";

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

const labels = z.object({ labels: z.record(z.string(), z.object({ name: z.string() })) });
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
