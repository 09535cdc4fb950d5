import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { FaultPlan } from "../../../../src/tools/local-gateway/faults.ts";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	ALICE,
	type CallResult,
	call,
	createFrozenGateway,
	START_MS,
	sendText,
	signedRequest,
} from "../../../support/signed-client.ts";
import { calls, codeOf, play, responseTo, type Step, sends } from "./steps.ts";

type Faults = LocalGateway["faults"];

/** A fault that is added. */
const fault =
	(add: (faults: Faults) => void): Step =>
	({ faults }) =>
		add(faults);
const responds = (status: number, others: Partial<Parameters<Faults["respond"]>[0]> = {}) =>
	fault(({ respond }) => respond({ status, ...others }));
const clears = fault(({ clear }) => clear());
const lists = calls("GET", "/agent");
const getsWebhooks = calls("GET", "/settings/webhooks");
const ALWAYS = { times: Number.POSITIVE_INFINITY };
const HELLO = { to: ALICE, text: "Hello" };

describe("the last request gets", () =>
	testOutcomes<readonly Step[]>(
		{
			200: {
				"after a fault of one request": [responds(503), lists, lists],
				"of another operation than the fault's": [
					responds(500, { operationId: "agents.list" }),
					getsWebhooks,
				],
				"after a clear": [responds(500, ALWAYS), lists, clears, lists],
				"with a delay, once time is moved to it": [
					fault(({ delay }) => delay(60_000)),
					(local) => {
						const response = lists(local);
						return local.settled().then(() => response);
					},
				],
				"with a skew, if it is signed for it": [
					fault(({ skewClock }) => skewClock(600_000)),
					calls("GET", "/agent", undefined, { timestamp: START_MS + 600_000 }),
				],
				"after a skew that was cleared": [fault(({ skewClock }) => skewClock(600_000)), clears, lists],
				"while only webhooks have faults": [fault(({ webhooks }) => webhooks.tamper()), lists],
			},
			202: {
				"after faults that kept a message from the gateway": [
					responds(503, { times: 2 }),
					sends(),
					sends(),
					sends(),
				],
				"after a connection that broke before": [
					fault(({ dropConnection }) => dropConnection({ when: "before" })),
					(local) => expect(sends()(local)).rejects.toThrow(TypeError),
					sends(),
				],
				"with a response that is repeated to the first": [
					fault(({ repeatRequest }) => repeatRequest({ response: "first" })),
					sends(),
				],
			},
			"400 VALIDATION_ERROR": {
				"a fault of its status": [responds(400), lists],
				"an error that no corruption changes": [
					fault(({ corrupt }) => corrupt({ as: "html" })),
					calls("GET", "/agent/x"),
				],
			},
			"401 UNAUTHORIZED": {
				"a fault of its status": [responds(401), lists],
				"a skew that makes it old": [fault(({ skewClock }) => skewClock(600_000)), lists],
				"a skew that makes it new": [fault(({ skewClock }) => skewClock(-600_000)), lists],
				"the copy of a request, with the same nonce": [
					fault(({ repeatRequest }) => repeatRequest()),
					sends(),
				],
			},
			"403 AGENT_BLOCKED": { "a fault of its status": [responds(403), lists] },
			"404 NOT_FOUND": { "a fault of its status": [responds(404), lists] },
			"409 DUPLICATE_MESSAGE": {
				"after a connection that broke after": [
					fault(({ dropConnection }) => dropConnection({ when: "after" })),
					(local) => expect(sends()(local)).rejects.toThrow(TypeError),
					sends(),
				],
			},
			"418 INTERNAL_ERROR": { "a fault of its status": [responds(418), lists] },
			"429 RATE_LIMITED": {
				"a fault of its status": [responds(429), lists],
				"the first of two faults": [responds(429), responds(502), lists],
				"the first fault for its operation": [
					responds(500, { operationId: "agents.list" }),
					responds(429),
					getsWebhooks,
				],
			},
			"500 INTERNAL_ERROR": {
				"a fault of its status": [responds(500), lists],
				"a fault of all requests": [responds(500, ALWAYS), lists, lists, lists],
				"the fault of its operation": [responds(500, { operationId: "agents.list" }), getsWebhooks, lists],
			},
			"502 INTERNAL_ERROR": { "the second of two faults": [responds(429), responds(502), lists, lists] },
			"503 SERVICE_UNAVAILABLE": {
				"a fault of its status": [responds(503), lists],
				"the second of two times": [responds(503, { times: 2 }), lists, lists],
				"beside a delay": [
					fault(({ delay }) => delay(5_000)),
					responds(503),
					(local) => {
						const response = lists(local);
						return local.settled().then(() => response);
					},
				],
			},
		},
		(steps) => codeOf(responseTo([{}, ...steps])),
	));

describe("respond", () => {
	test.each<[what: string, response: Parameters<Faults["respond"]>[0], body: unknown, headers: object]>([
		[
			"an error envelope",
			{ status: 503 },
			{
				ok: false,
				error: {
					code: "SERVICE_UNAVAILABLE",
					message: "A fault that the test added.",
					requestId: expect.any(String),
				},
			},
			{ "content-type": "application/json" },
		],
		[
			"Retry-After, headers and a string",
			{
				status: 429,
				retryAfterSeconds: 7,
				body: "<h1>Slow down</h1>",
				headers: { "content-type": "text/html", "X-Proxy": "1" },
			},
			"<h1>Slow down</h1>",
			{ "retry-after": "7", "content-type": "text/html", "x-proxy": "1" },
		],
		[
			"any other value as JSON",
			{ status: 200, body: { ok: "maybe" } },
			{ ok: "maybe" },
			{ "content-type": "application/json" },
		],
		["nothing with 204", { status: 204 }, "", {}],
		["nothing with 205", { status: 205 }, "", {}],
		["nothing with 304", { status: 304 }, "", {}],
	])("with %s", async (_what, response, body, headers) => {
		const { last } = await play([{}, fault(({ respond }) => respond(response)), lists]);
		const result = last as CallResult;
		expect([result.status, result.body]).toEqual([response.status, body]);
		expect(Object.fromEntries(result.headers)).toMatchObject(headers);
		expect(result.headers.has("Retry-After")).toBe("retryAfterSeconds" in response);
	});

	test("before the gateway sees the request, which is recorded", async () => {
		const { local } = await play([{}, responds(503, { times: 2 }), sends(), sends(), sends()]);
		expect(local.requests.map(({ status }) => status)).toEqual([503, 503, 202]);
		expect(local.sent).toHaveLength(1);
	});
});

type Method = (faults: Faults) => (...given: never[]) => void;
const METHODS = {
	respond: ({ respond }) => respond,
	delay: ({ delay }) => delay,
	drop: ({ dropConnection }) => dropConnection,
	corrupt: ({ corrupt }) => corrupt,
	repeatRequest: ({ repeatRequest }) => repeatRequest,
	skew: ({ skewClock }) => skewClock,
	repeat: ({ webhooks }) => webhooks.repeat,
	repeatAttempt: ({ webhooks }) => webhooks.repeatAttempt,
	late: ({ webhooks }) => webhooks.delay,
	tamper: ({ webhooks }) => webhooks.tamper,
	stale: ({ webhooks }) => webhooks.stale,
	wrongSignature: ({ webhooks }) => webhooks.wrongSignature,
	outOfOrder: ({ webhooks }) => webhooks.outOfOrder,
} satisfies Record<string, Method>;

/** What a fault is given, by its method. */
type Given = readonly [method: keyof typeof METHODS, ...given: unknown[]];

const MISTAKES: Outcomes<Given> = {
	"status must be an HTTP status from 200 to 599": {
		"a status of 100": ["respond", { status: 100 }],
		"a status of 199": ["respond", { status: 199 }],
		"a status of 600": ["respond", { status: 600 }],
		"half a status": ["respond", { status: 404.5 }],
		"no status": ["respond", {}],
	},
	'Unknown option "operationId" of faults.webhooks.delay: remove it, or use times': {
		"a filter of webhooks": ["late", 5, { operationId: "agents.list" }],
	},
	'Unknown option "delay" of faults.webhooks.repeatAttempt. Did you mean "delayMs"?': {
		"a delay in another unit": ["repeatAttempt", { delay: 5 }],
	},
	"faults.delay must be an object, such as { times: … }": {
		"a number in place of a filter": ["delay", 100, 2],
	},
	"faults.webhooks.repeat must be an object, such as { times: … }": {
		"a number in place of times": ["repeat", 2],
	},
	"times must be 1 or more": {
		"no times": ["respond", { status: 500, times: 0 }],
		"negative times": ["respond", { status: 500, times: -1 }],
		"times that are no number": ["respond", { status: 500, times: Number.NaN }],
		"no times of a webhook": ["tamper", { times: 0 }],
	},
	"times must be an integer of at least 1": { "endless repeats": ["repeat", ALWAYS] },
	"a delay in milliseconds must be 0 or more": {
		"a negative delay": ["delay", -1],
		"a delay that is no number": ["delay", Number.NaN],
		"a negative delay of webhooks": ["late", -1],
		"a delay of webhooks that is no number": ["late", Number.NaN],
	},
	"delayMs must be 0 or more": { "a negative delay of a copy": ["repeatAttempt", { delayMs: -1 }] },
	"A skew must be a number of milliseconds": {
		"a skew that is no number": ["skew", Number.NaN],
		"an endless skew": ["skew", Number.POSITIVE_INFINITY],
	},
	"dropConnection: when must be one of before, after": {
		"another time": ["drop", { when: "now" }],
	},
	"corrupt: as must be one of html, truncated, empty": { "another form": ["corrupt", { as: "htm" }] },
	"repeatRequest: response must be one of copy, first": {
		"another response": ["repeatRequest", { response: "both" }],
	},
	"repeatAttempt: response must be one of copy, first": {
		"another response": ["repeatAttempt", { response: "both" }],
	},
	"faults.respond was given one argument too many: its last one has status, retryAfterSeconds, body, headers, times, operationId":
		{ "a filter beside the response": ["respond", { status: 503 }, { times: 2 }] },
	"faults.delay was given one argument too many: its last one has times, operationId": {
		"an argument after the filter": ["delay", 100, { times: 2 }, 3],
	},
	"faults.dropConnection was given one argument too many: its last one has when, times, operationId": {
		"a filter beside the drop": ["drop", { when: "after" }, { times: 2 }],
	},
	"faults.corrupt was given one argument too many: its last one has as, times, operationId": {
		"an argument after the corruption": ["corrupt", { as: "html" }, 2],
	},
	"faults.repeatRequest was given one argument too many: its last one has response, times, operationId": {
		"an argument after the repeat": ["repeatRequest", {}, 2],
	},
	"faults.skewClock was given one argument too many": { "a filter of the skew": ["skew", 1, { times: 2 }] },
	"faults.webhooks.tamper was given one argument too many: its last one has times": {
		"an argument after the times": ["tamper", {}, { times: 2 }],
	},
	"faults.webhooks.repeatAttempt was given one argument too many: its last one has times, response, delayMs":
		{
			"an argument after the repeated attempt": ["repeatAttempt", {}, 2],
		},
};

describe("a mistake is an error:", () => {
	const messageOf = ([method, ...given]: Given): string => {
		const error = catchError(() =>
			Reflect.apply(METHODS[method](createFrozenGateway().faults), undefined, given),
		);
		expect(error).toMatchObject({ code: "configuration" });
		return (error as Error).message;
	};
	testOutcomes(MISTAKES, messageOf);

	/** A misspelt field of each fault, by whose it is. */
	const MISSPELT: readonly (readonly [owner: string, given: Given])[] = [
		["faults.respond", ["respond", { status: 503, time: 2 }]],
		["faults.delay", ["delay", 100, { time: 2 }]],
		["faults.dropConnection", ["drop", { when: "after", time: 2 }]],
		["faults.corrupt", ["corrupt", { as: "html", time: 2 }]],
		["faults.repeatRequest", ["repeatRequest", { time: 2 }]],
		["faults.webhooks.repeat", ["repeat", { time: 2 }]],
		["faults.webhooks.repeatAttempt", ["repeatAttempt", { time: 2 }]],
		["faults.webhooks.delay", ["late", 5, { time: 2 }]],
		["faults.webhooks.stale", ["stale", { time: 2 }]],
		["faults.webhooks.wrongSignature", ["wrongSignature", { time: 2 }]],
		["faults.webhooks.outOfOrder", ["outOfOrder", { time: 2 }]],
		["faults.webhooks.tamper", ["tamper", { time: 2 }]],
	];
	test.each(MISSPELT)("a misspelt field of %s", (owner, given) => {
		expect(messageOf(given)).toBe(`Unknown option "time" of ${owner}. Did you mean "times"?`);
	});
});

describe("a fault says of itself", () => {
	const HOUR_MS = 3_600_000;
	testOutcomes<Given>(
		{
			"next request: response with status 503": { "a response": ["respond", { status: 503 }] },
			"next 2 requests: response with status 503": {
				"two responses": ["respond", { status: 503, times: 2 }],
			},
			"all requests: response with status 503": { "every response": ["respond", { status: 503, ...ALWAYS }] },
			"next request of agents.list: delayed by 1500 ms": {
				"a delay": ["delay", 1_500, { operationId: "agents.list" }],
			},
			"next request: the connection breaks before it is processed": {
				"a drop": ["drop", { when: "before" }],
			},
			"next request: processed, and the response is an HTML page": { "a page": ["corrupt", { as: "html" }] },
			"next request: processed, and the response is truncated": {
				"half of it": ["corrupt", { as: "truncated" }],
			},
			"next request: processed, and the response is empty": { "no body": ["corrupt", { as: "empty" }] },
			"next request: repeated by the network, with the response to the copy": {
				"a repeated request": ["repeatRequest"],
			},
			"next request: repeated by the network, with the response to the first": {
				"a repeated request, with its response": ["repeatRequest", { response: "first" }],
			},
			"all requests: the clock is 1 h ahead": { "a skew": ["skew", HOUR_MS] },
			"all requests: the clock is 1 h behind": { "a negative skew": ["skew", -HOUR_MS] },
			nothing: { "no skew": ["skew", 0] },
			"next 2 attempts: the body is changed after signing": {
				"two altered bodies": ["tamper", { times: 2 }],
			},
			"next attempt: signed with another secret": { "a wrong signature": ["wrongSignature"] },
			"next attempt: signed with a timestamp of two days ago": { "an old timestamp": ["stale"] },
			"next message: its first two webhooks change places": { "another order": ["outOfOrder"] },
			"next webhook: repeated once": { "a repeat": ["repeat"] },
			"next webhook: repeated 3 times": { "three repeats of one event": ["repeat", { times: 3 }] },
			"next attempt: repeated by the network, with the response to the copy": {
				"a repeated attempt": ["repeatAttempt", { delayMs: 0 }],
			},
			"next attempt: repeated by the network 5 s later, with the response to the first": {
				"a repeated attempt, later": ["repeatAttempt", { delayMs: 5_000, response: "first" }],
			},
			"next webhook: 45 s late": { "a late one": ["late", 45_000] },
		},
		([method, ...given]) => {
			let changes = 0;
			const plan = new FaultPlan(() => (changes += 1));
			Reflect.apply(METHODS[method](plan.controls), undefined, given);
			const words = plan.describe().join("; ") || "nothing";
			expect(changes).toBe(words === "nothing" ? 0 : 1);
			plan.controls.clear();
			expect([plan.describe(), changes]).toEqual([[], words === "nothing" ? 0 : 2]);
			plan.controls.clear();
			expect(changes).toBe(words === "nothing" ? 0 : 2);
			return words;
		},
	);
});

test("a fault that is used up is a change", () => {
	let changes = 0;
	const plan = new FaultPlan(() => (changes += 1));
	plan.controls.respond({ status: 503, times: 2 });
	plan.take(undefined);
	expect([plan.describe(), changes]).toEqual([["next request: response with status 503"], 2]);
});

describe("delay", () => {
	test("in the gateway's time", async () => {
		const local = createFrozenGateway();
		local.faults.delay(5_000);
		let status: number | undefined;
		const response = lists(local).then((received) => (status = received.status));
		await local.clock.advance(4_999);
		expect(status).toBeUndefined();
		await local.clock.advance(1);
		expect(await response).toBe(200);
	});

	test("the caller may abort; the request is still processed", async () => {
		const local = createFrozenGateway();
		const caller = new AbortController();
		local.faults.delay(1_000);
		const request = signedRequest(local, "POST", "/message/text", HELLO, { signal: caller.signal });
		const response = local.fetch(request);
		caller.abort(new Error("gave up"));
		await expect(response).rejects.toThrow("gave up");
		await expect(local.fetch(request)).rejects.toThrow("gave up");
		await local.settled();
		expect(local.sent).toHaveLength(1);
	});

	test("a delayed response ends with the gateway", async () => {
		const local = createFrozenGateway();
		local.faults.delay(1_000);
		const response = call(local, "GET", "/agent");
		await local.clock.advance(1);
		await local[Symbol.asyncDispose]();
		await expect(response).rejects.toThrow(TypeError);
	});
});

/** What a broken connection leaves: messages, and requests without a status. */
describe("dropConnection leaves", () =>
	testOutcomes<"before" | "after">(
		{
			"no message and a request": { "before the request is processed": "before" },
			"a message and a request": { "after it is processed": "after" },
		},
		async (when) => {
			const local = createFrozenGateway();
			local.faults.dropConnection({ when });
			await expect(sendText(local, ALICE)).rejects.toThrow(TypeError);
			expect(local.requests).toHaveLength(1);
			expect(local.requests[0]).not.toHaveProperty("status");
			return `${local.sent.length === 0 ? "no" : "a"} message and a request`;
		},
	));

describe("corrupt", () => {
	test.each([
		["html", /^<!doctype html>/, "text/html"],
		["truncated", /^\{"ok":true,"data":/, "application/json"],
		["empty", /^$/, "application/json"],
	] as const)("%s, once the request is processed", async (as, expected, contentType) => {
		const local = createFrozenGateway();
		local.faults.corrupt({ as });
		const response = await local.fetch(signedRequest(local, "POST", "/message/text", HELLO));
		expect(response.status).toBe(202);
		expect(response.headers.get("Content-Type")).toBe(contentType);
		const text = await response.text();
		expect(text).toMatch(expected);
		expect(() => JSON.parse(text)).toThrow();
		expect(local.sent).toHaveLength(1);
	});
});

test("skewClock: a rejection has the reason, and every response the skew", async () => {
	const { local, last } = await play([{}, fault(({ skewClock }) => skewClock(600_000)), lists]);
	const { headers, body } = last as CallResult;
	expect(body.error.details.reason).toBe("TIMESTAMP_OUT_OF_RANGE");
	expect(headers.get("Date")).toBe(new Date(START_MS + 600_000).toUTCString());
	const timestamp = START_MS + 600_000;
	const response = await call(local, "GET", "/agent", undefined, { timestamp });
	expect(Date.parse(response.body.meta.timestamp)).toBe(timestamp);
});
