import type { CustomFetch, FetchResponse } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { MESSAGE, USER } from "../../../support/wire.ts";
import { describeError } from "./call-ending.ts";

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

/** What a send rejects with whose fetch resolves to this, or does this: one request is made. */
async function errorOf(fetch: () => unknown): Promise<string> {
	let calls = 0;
	const { gateway, clock } = scriptGateway([], {
		fetch: (async () => {
			calls += 1;
			return fetch();
		}) as CustomFetch,
	});
	const error = await catchRejection(settle(clock, gateway.messages.sendText({ to: USER, text: "Hello" })));
	expect(error).toMatchObject({ attempts: 1, operationId: "messages.sendText" });
	expect([calls, clock.openTimers]).toEqual([1, 0]);
	return `${describeError(error)}; ${(error as Error).message.replace(UNKNOWN, "…")}`;
}

const UNKNOWN = "Before you send it again, check the conversation: messaging-gateway/docs/errors.md#unknown";
const NO_RESPONSE = "The message may have been sent: POST /message/text got no response";
const GOT = "The message may have been sent: POST /message/text got 202, but";
const lost = (sentence: string) => `ConnectionError connection_failed, unknown; ${sentence}`;
const DOCTOR = "`npx messaging-gateway doctor` shows why";
const failing = () => fail();
const reading = (read: () => unknown, cancel?: () => unknown) => ({
	body: { getReader: () => ({ read: async () => read(), ...(cancel && { cancel }) }) },
});

/** What is broken about a response with a 202. */
const BROKEN: Outcomes<object> = {
	[lost(`${GOT} its text() didn't resolve to a string. …`)]: {
		"text() gives nothing": { text: async () => undefined },
		"text() gives null": { text: async () => null },
		"text() gives an object": { text: async () => ({ ok: true }) },
		"text() gives bytes": { text: async () => new Uint8Array([123, 125]) },
	},
	[lost(`${GOT} the connection broke during the response. ${DOCTOR}. …`)]: {
		"text() throws": { text: fail },
		"text() is missing": { text: undefined },
		"text() rejects with null": { text: () => Promise.reject(null) },
		"body fails": Object.defineProperty({}, "body", { get: failing, enumerable: true }),
		"body has no reader": { body: { getReader: fail } },
		"the reader gives nothing": reading(() => undefined),
	},
	[lost(`${GOT} its headers can't be read. …`)]: {
		"headers.get throws": { headers: headers({ get: fail }) },
		"headers.get throws for one name": {
			headers: headers({ get: (name: string) => (name === "Date" ? fail() : null) }),
		},
		"headers.get gives an object": { headers: headers({ get: () => ({}) }) },
		"headers.get gives a number": { headers: headers({ get: () => 5 }) },
	},
	[lost(`${GOT} its body isn't a stream of bytes. …`)]: {
		"the reader gives strings": reading(() => ({ done: false, value: "{" })),
		"the reader gives strings, for ever": reading(
			() => ({ done: false, value: "{" }),
			async () => undefined,
		),
	},
	[`ResponseShapeError unexpected_response 202, unknown: ok must be true, as in the gateway's envelope; ${GOT} ok must be true, as in the gateway's envelope. Something other than the gateway seems to have responded, such as a login page or a proxy. error.readBody() returns the raw body. ${DOCTOR}. …`]:
		{ "an error without ok": { text: async () => '{"error":{"code":"ODD"}}' } },
};

describe("a custom fetch's response", () => {
	testOutcomes(BROKEN, (broken) => errorOf(() => respond(202, broken)));

	test.each(Object.entries(BROKEN).flatMap(([, rows]) => Object.entries(rows)))(
		"%s: under a failure status it has the outcome of that",
		async (_what, broken) => {
			expect(await errorOf(() => respond(400, broken))).toMatch(
				/^BadRequestError bad_request 400( ODD)?, rejected/,
			);
			expect(await errorOf(() => respond(500, broken))).toMatch(
				/^ServerError server_error 500( ODD)?, unknown/,
			);
		},
	);
});

const NO_RESPONSES: Outcomes<() => unknown> = {
	[lost(`${NO_RESPONSE}: fetch didn't resolve to a Response. …`)]: {
		nothing: () => undefined,
		"something else": () => ({ ok: true }),
		"a status that is no number": () => respond("202" as never, {}),
		"a status that is NaN": () => respond(Number.NaN, {}),
		"a status that is no integer": () => respond(202.5, {}),
		"a status below any": () => respond(-1, {}),
		"a status of an interim response": () => respond(199, {}),
		"a status above any": () => respond(1000, {}),
		"headers that are missing": () => respond(202, { headers: undefined }),
	},
	[lost(`${NO_RESPONSE}: the connection broke. ${DOCTOR}. …`)]: {
		"a status that fails": () => Object.defineProperty(respond(202, {}), "status", { get: fail }),
		"an error that fails when it is looked at": () =>
			Promise.reject(new Proxy(new Error("x"), { get: fail, has: fail })),
		"an error whose cause fails": () =>
			Promise.reject(Object.defineProperty(new Error("x"), "cause", { get: fail })),
		"an error whose message fails": () =>
			Promise.reject(Object.defineProperty(new Error("x"), "message", { get: fail })),
	},
	"ServerError server_error 999, unknown; The message may have been sent: POST /message/text got 999. Something other than the gateway seems to have responded, such as a login page or a proxy. error.readBody() returns the raw body. `npx messaging-gateway doctor` shows why. …":
		{ "the largest status": () => respond(999, {}) },
};

describe("a custom fetch gives", () => testOutcomes(NO_RESPONSES, errorOf));

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
