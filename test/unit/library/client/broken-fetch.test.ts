import type { CustomFetch, FetchResponse } from "messaging-gateway";
import { CallError, isMessagingGatewayError } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { MESSAGE, USER } from "../../../support/wire.ts";

const BODY = JSON.stringify({ ok: true, data: { message: MESSAGE } });
const fail = throwing(new TypeError("it is broken"));

/** A response of no library, with what is broken about it. */
function respond(status: number, broken: object): FetchResponse {
	const whole = { status, statusText: "", headers: new Headers(), body: undefined, text: async () => BODY };
	return Object.defineProperties(whole, Object.getOwnPropertyDescriptors(broken));
}

function headers(broken: object): FetchResponse["headers"] {
	return { get: () => null, has: () => false, forEach: () => undefined, ...broken };
}

/** What a send rejects with whose fetch resolves to this, or does this. */
async function errorOf(fetch: () => unknown): Promise<unknown> {
	let calls = 0;
	const { gateway, clock } = scriptGateway([], {
		fetch: (async () => {
			calls += 1;
			return fetch();
		}) as CustomFetch,
	});
	const error = await catchRejection(settle(clock, gateway.messages.sendText({ to: USER, text: "Hello" })));
	expect(isMessagingGatewayError(error)).toBe(true);
	expect(error).toBeInstanceOf(CallError);
	expect(error).toMatchObject({ attempts: 1, operationId: "messages.sendText" });
	expect(calls).toBe(1);
	expect(clock.openTimers).toBe(0);
	return error;
}

const faults: [title: string, broken: () => object][] = [
	["text() gives nothing", () => ({ text: async () => undefined })],
	["text() gives null", () => ({ text: async () => null })],
	["text() gives an object", () => ({ text: async () => ({ ok: true }) })],
	["text() gives bytes", () => ({ text: async () => new Uint8Array([123, 125]) })],
	["text() throws", () => ({ text: fail })],
	["text() is missing", () => ({ text: undefined })],
	["text() rejects with null", () => ({ text: () => Promise.reject(null) })],
	["headers.get throws", () => ({ headers: headers({ get: fail }) })],
	[
		"headers.get throws for one name",
		() => ({ headers: headers({ get: (name: string) => (name === "Date" ? fail() : null) }) }),
	],
	["headers.get gives an object", () => ({ headers: headers({ get: () => ({}) }) })],
	[
		"body fails",
		() => ({
			get body() {
				return fail();
			},
		}),
	],
	["body has no reader", () => ({ body: { getReader: fail } })],
	["the reader gives nothing", () => ({ body: { getReader: () => ({ read: async () => undefined }) } })],
	[
		"the reader gives strings, for ever",
		() => ({
			body: {
				getReader: () => ({ read: async () => ({ done: false, value: "{" }), cancel: async () => undefined }),
			},
		}),
	],
];

describe("a custom fetch's response whose", () => {
	test.each(faults)("%s is a typed error with the outcome of its status", async (_title, broken) => {
		expect(await errorOf(() => respond(202, broken()))).toMatchObject({ outcome: "unknown" });
		expect(await errorOf(() => respond(400, broken()))).toMatchObject({ outcome: "rejected", status: 400 });
		expect(await errorOf(() => respond(500, broken()))).toMatchObject({ outcome: "unknown", status: 500 });
	});

	test.each<[title: string, response: () => unknown]>([
		["status is no number", () => respond("202" as never, {})],
		["status is NaN", () => respond(Number.NaN, {})],
		["status is no integer", () => respond(202.5, {})],
		["status is below any", () => respond(-1, {})],
		["status is that of an interim response", () => respond(101, {})],
		["status is above any", () => respond(1000, {})],
		["status fails", () => Object.defineProperty(respond(202, {}), "status", { get: fail })],
		["headers are missing", () => respond(202, { headers: undefined })],
		["place is empty", () => undefined],
	])("%s is a typed error of unknown outcome", async (_title, response) => {
		expect(await errorOf(response)).toMatchObject({ code: "connection_failed", outcome: "unknown" });
	});
});

test.each<[words: string, response: () => unknown]>([
	["got no response: fetch didn't resolve to a Response", () => undefined],
	["got no response: fetch didn't resolve to a Response", () => ({ ok: true })],
	["got 202, but its headers can't be read", () => respond(202, { headers: headers({ get: fail }) })],
	["got 202, but its headers can't be read", () => respond(202, { headers: headers({ get: () => 5 }) })],
	["got 202, but its text() didn't resolve to a string", () => respond(202, { text: async () => 5 })],
	[
		"got 202, but its body isn't a stream of bytes",
		() => respond(202, { body: { getReader: () => ({ read: async () => ({ done: false, value: "{" }) }) } }),
	],
])("%s: no connection is said to have broken", async (words, response) => {
	expect(((await errorOf(response)) as Error).message).toBe(
		`The message may have been sent: POST /message/text ${words}. Before you send it again, check the conversation: messaging-gateway/docs/errors.md#unknown`,
	);
});

test("a response whose headers can only be read with get is still read", async () => {
	const values: Record<string, string> = { "x-request-id": "r-42" };
	const get = (name: string) => values[name.toLowerCase()] ?? null;
	const { gateway } = scriptGateway([], {
		fetch: async () => respond(202, { headers: { get, has: () => false } }),
	});
	const { data, response } = await gateway.messages.sendText({ to: USER, text: "Hello" }).withResponse();
	expect(data.message.messageId).toBe(MESSAGE.messageId);
	expect(response.headers.get("X-Request-Id")).toBe("r-42");
});

test.each<[title: string, forEach: (use: (value: string, name: string) => void) => void]>([
	["throws", fail],
	["gives what is no header", (use) => use("a", "b c")],
])(
	"headers whose forEach %s are missing in the raw response, and the send is a success",
	async (_title, forEach) => {
		const { gateway } = scriptGateway([], {
			fetch: async () => respond(202, { headers: headers({ forEach }) }),
		});
		const { response } = await gateway.messages.sendText({ to: USER, text: "Hello" }).withResponse();
		expect(Object.fromEntries(response.headers)).toEqual({});
	},
);

test("cookies stay apart in the raw response", async () => {
	const cookies = new Headers([
		["Set-Cookie", "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"],
		["Set-Cookie", "b=2"],
	]);
	const { gateway } = scriptGateway([], { fetch: async () => respond(202, { headers: cookies }) });
	const { response } = await gateway.messages.sendText({ to: USER, text: "Hello" }).withResponse();
	expect(response.headers.getSetCookie()).toEqual(cookies.getSetCookie());
});

test.each([
	["a\nb", ""],
	["\u2603", ""],
	[{}, ""],
	[undefined, ""],
	["Tr\u00e8s bien", "Tr\u00e8s bien"],
])("a statusText that Response rejects is left out of the raw response: %j", async (given, words) => {
	const { gateway } = scriptGateway([], { fetch: async () => respond(202, { statusText: given }) });
	const { response } = await gateway.messages.sendText({ to: USER, text: "Hello" }).withResponse();
	expect([response.status, response.statusText, await response.text()]).toEqual([202, words, BODY]);
});

test.each<[title: string, error: () => unknown]>([
	["that fails when it is looked at", () => new Proxy(new Error("x"), { get: fail, has: fail })],
	["whose cause fails", () => Object.defineProperty(new Error("x"), "cause", { get: fail })],
	["whose message fails", () => Object.defineProperty(new Error("x"), "message", { get: fail })],
])("an error of a custom fetch %s is a typed error", async (_title, error) => {
	expect(await errorOf(() => Promise.reject(error()))).toMatchObject({ outcome: "unknown" });
});

test("a reader whose cancel() fails does not get in the way of a time limit", async () => {
	for (const cancel of [fail, () => undefined, () => Promise.reject(null)]) {
		const reader = { read: () => new Promise(() => undefined), cancel };
		const { gateway, clock } = scriptGateway([], {
			attemptTimeoutMs: 50,
			fetch: async () => respond(202, { body: { getReader: () => reader } }),
		});
		const error = await catchRejection(settle(clock, gateway.messages.sendText({ to: USER, text: "Hello" })));
		expect(error).toMatchObject({ code: "timeout", outcome: "unknown" });
	}
});

test("a success without ok: true is judged by its status, also if the response has no ok property", async () => {
	const { gateway } = scriptGateway([], {
		fetch: async () => respond(202, { text: async () => '{"error":{"code":"ODD"}}' }),
	});
	const error = await catchRejection(gateway.messages.sendText({ to: USER, text: "Hello" }));
	expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
});
