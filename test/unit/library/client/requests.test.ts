import {
	type ClientOptions,
	type CustomFetch,
	defineOperation,
	type HttpMethod,
	type InputError,
	type MessagingGateway,
} from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { refusedBy, sentBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { AGENT, html, json, MAPPING, MESSAGE, ok, USER } from "../../../support/wire.ts";

const anything = {
	"~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as object }) },
} as const;

/** What a call sends, as `GET URL body`; or the sentence of its error, before anything is sent, which quotes nothing private. */
async function sentOf(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options: ClientOptions = {},
): Promise<string> {
	const { gateway, clock, requests } = scriptGateway([ok({ mapping: MAPPING, message: MESSAGE })], options);
	const [ending] = await settle(clock, Promise.allSettled([call(gateway)]));
	if (ending.status === "rejected") {
		const { code, outcome, message, issues }: InputError = ending.reason;
		expect([requests.length, outcome, message.includes("private")]).toEqual([0, "not_sent", false]);
		return `${code} ${issues?.map(({ path }) => path).join() ?? ""}: ${message}`;
	}
	const [{ method, url, body, headers } = { method: "", url: "", body: "", headers: new Headers() }] =
		requests;
	expect(headers.get("Content-Type")).toBe(body === undefined ? null : "application/json");
	return [method, url.replace("https://gateway.example", ""), body].filter(Boolean).join(" ");
}

const operation = defineOperation({
	id: "own",
	method: "GET",
	path: "/x/{id}",
	input: anything,
	data: anything,
});

/** Values of a path parameter, each by `gateway.request` and by an operation. */
const PATH_VALUES: Outcomes<unknown> = {
	"GET /x/%2B15551234567": { "a plus": "+15551234567" },
	"GET /x/a%20b": { "a space": "a b" },
	"GET /x/a%2Fb": { "a slash": "a/b" },
	"GET /x/..%2Fagent": { "a climb": "../agent" },
	"GET /x/100%25": { "a percent sign": "100%" },
	"GET /x/%252e%252e": { "an escape": "%2e%2e" },
	"GET /x/a%3Fb%23c": { "a question mark and a hash": "a?b#c" },
	"GET /x/a%5Cb": { "a backslash": "a\\b" },
	"GET /x/Zo%C3%AB%E6%97%A5%E6%9C%AC": { "letters of any script": "Zoë日本" },
	"GET /x/%F0%9F%8E%89": { "an emoji": "🎉" },
	"GET /x/...": { "three dots": "..." },
	"GET /x/a%0D%0Ab": { "a line break": "a\r\nb" },
	"GET /x/7": { "a number": 7 },
	"invalid_input id: id must be a non-empty string that is valid in a path": {
		nothing: "",
		"a dot": ".",
		"two dots": "..",
		"half a character": "a\ud800",
		"what is missing": undefined,
		null: null,
		"an object": {},
		true: true,
		NaN: Number.NaN,
	},
};

describe("a path value", () => {
	testOutcomes(PATH_VALUES, async (value) => {
		const sent = await sentOf((gateway) =>
			gateway.request("GET", "/x/{id}", { params: { id: value as string } }),
		);
		expect(await sentOf((gateway) => gateway.call(operation, { id: value }))).toBe(sent);
		return sent;
	});

	test("is not taken from an object's prototype", async () => {
		const error = await refusedBy((gateway) => gateway.request("GET", "/x/{toString}"));
		expect(error).toMatchObject({ code: "invalid_input" });
	});
});

const QUERIES: Outcomes<Record<string, unknown>> = {
	"GET /x?a=x&b=2&c=false": { "texts, numbers and booleans": { a: "x", b: 2, c: false } },
	"GET /x?a=x&a=y&a=3": { "a list, under its name each time": { a: ["x", "y", 3] } },
	"GET /x?a+b=c%26d%3De%2Bf": { "what must be escaped": { "a b": "c&d=e+f" } },
	"GET /x?q=Zo%C3%AB+%F0%9F%8E%89": { "any script": { q: "Zoë 🎉" } },
	"GET /x": {
		"undefined, null and an empty list": { a: undefined, b: null, c: [] },
		"undefined and null in a list": { a: [undefined, null] },
		nothing: {},
	},
	"GET /x?a=": { "an empty text": { a: "" } },
	"invalid_input name: name must not contain a lone surrogate": {
		"half a character, which would arrive as another one": { name: "a\ud800" },
	},
	"invalid_input name: name must be a string, a number or an array of them": {
		"an object": { name: { a: 1 } },
		NaN: { name: Number.NaN },
		"a list in a list": { name: [["x"]] },
	},
	"invalid_input query: query must be a string, a number or an array of them": {
		"an object under a name that could be a value": { "+15551234567": {} },
	},
};

describe("a query", () => {
	testOutcomes(QUERIES, (query) =>
		sentOf((gateway) => gateway.request("GET", "/x", { query: query as never })),
	);
});

const BASES: Outcomes<string> = {
	"GET https://gateway.example/mapping/%2B15551234567": {
		"no path": "https://gateway.example",
		"a slash": "https://gateway.example/",
		slashes: "https://gateway.example///",
		"spaces around it": " https://gateway.example ",
		"an empty query": "https://gateway.example?",
	},
	"GET https://gateway.example:8443/api/v1/mapping/%2B15551234567": {
		"a port and a path": "https://gateway.example:8443/api/v1/",
	},
	"GET https://gateway.example/API/mapping/%2B15551234567": { capitals: "HTTPS://Gateway.Example/API" },
	"GET https://gateway.example/api/mapping/%2B15551234567": {
		"a path and an empty fragment": "https://gateway.example/api#",
	},
};

describe("a base address", () => {
	testOutcomes(BASES, async (baseUrl) => {
		const { method, url } = await sentBy((gateway) => gateway.mappings.get(USER), { baseUrl });
		return `${method} ${url}`;
	});
});

const CALLS: Outcomes<(gateway: MessagingGateway) => PromiseLike<unknown>> = {
	[`POST /message/text {"from":"${AGENT}","status_callback":"https://hooks.example","text":"Hello","to":"${USER}"}`]:
		{
			"a body in its canonical form, under the names on the wire": ({ messages }) =>
				messages.sendText({ to: USER, text: "Hello", statusCallback: "https://hooks.example", from: AGENT }),
		},
	[`POST /message/text {"text":"Hello","to":"${USER}"}`]: {
		"a body without undefined members": ({ messages }) =>
			messages.sendText({ to: USER, text: "Hello", from: undefined, effect: undefined } as never),
	},
	"GET /analytics/conversation/%2B15551234567?agentNumber=%2B15550000001&limit=5&after=1&before=2": {
		"a query of what is left of a GET's input": ({ analytics }) =>
			analytics.listMessages(USER, { agentNumber: AGENT, limit: 5, after: 1, before: 2 }),
	},
	"POST /mapping/%2B15551234567/reset": {
		"no body where nothing is left for it": ({ mappings }) => mappings.reset(USER),
	},
	"DELETE /mapping/%2B15551234567": { "no body with DELETE": ({ mappings }) => mappings.delete(USER) },
	"GET /mapping/%2B15551234567": { "no body with GET": ({ mappings }) => mappings.get(USER) },
	"POST /x": { "no body where none is given": (gateway) => gateway.request("POST", "/x") },
	"POST /x null": { "null as a body": (gateway) => gateway.request("POST", "/x", { body: null }) },
	'POST /x/7?a=1 {"b":2}': {
		"path, query and body": (gateway) =>
			gateway.request("POST", "/x/{id}", { params: { id: 7 }, query: { a: 1 }, body: { b: 2 } }),
	},
	'POST /settings/webhooks {"inboundWebhookUrl":""}': {
		"a webhook that is unset by null": ({ settings }) => settings.setWebhooks({ inboundWebhookUrl: null }),
	},
	'POST /settings/webhooks {"statusWebhookUrl":""}': {
		"a webhook that is unset by an empty text": ({ settings }) =>
			settings.setWebhooks({ statusWebhookUrl: "" }),
	},
	"POST /settings/webhooks": { "no webhooks": ({ settings }) => settings.setWebhooks({}) },
	"invalid_input body: body isn't allowed with GET": {
		"a body with GET": (gateway) => gateway.request("GET", "/x", { body: { a: 1 } }),
	},
};

describe("a call sends", () => testOutcomes(CALLS, sentOf));

const itself: Record<string, unknown> = {};
itself["self"] = itself;

const NO_FORM = "invalid_input : The body can't be sent as JSON:";

const BODIES: Outcomes<unknown> = {
	[`${NO_FORM} a BigInt has no JSON form: send it as a string or a number`]: { "a BigInt": { n: 1n } },
	[`${NO_FORM} NaN and Infinity have no JSON form: pass a finite number or null`]: { NaN: { n: Number.NaN } },
	[`${NO_FORM} a string holds half of a surrogate pair: it was cut inside a character`]: {
		"half a character": { text: "\ud800" },
	},
	[`${NO_FORM} function has no JSON form at the top level`]: { "nothing to write": () => undefined },
	[`${NO_FORM} it can't be serialized as JSON`]: {
		"a getter that throws": Object.defineProperty({}, "text", {
			enumerable: true,
			get: throwing(new Error("private")),
		}),
		"a toJSON that throws": { toJSON: throwing(new Error("private")) },
	},
	[`${NO_FORM} the value contains itself`]: { "what contains itself": itself },
};

describe("a body without a canonical form", () => {
	testOutcomes(BODIES, (body) => sentOf((gateway) => gateway.request("POST", "/x", { body })));

	test("that contains itself is rejected by an operation, too", async () => {
		const error = await refusedBy((gateway) => gateway.messages.sendText(itself as never));
		expect(error).toMatchObject({ code: "invalid_input" });
	});
});

describe("what fetch is given", () => {
	test.each<HttpMethod>(["GET", "POST", "PUT", "PATCH", "DELETE"])(
		"%s: a URL and an init that follows no redirect, uncached",
		async (method) => {
			const { url, init } = await sentBy((gateway) => gateway.request(method, "/x"));
			expect(url).toBe("https://gateway.example/x");
			expect(init).toMatchObject({ method, redirect: "manual", cache: "no-store" });
			expect(init.signal).toBeInstanceOf(AbortSignal);
		},
	);

	test.each(["polyfill", "ponyfill"])(
		"no cache mode if it is a %s, which would change the URL",
		async (mark) => {
			const fetch = vi.fn(async (_url: string, _init: object) => Response.json({ ok: true, data: 7 }));
			const send = (fetch: CustomFetch) => scriptGateway([], { fetch }).gateway.request("GET", "/x");
			await send(Object.assign(fetch, { [mark]: true }));
			expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("cache");
			await send((url, init) => fetch(url, init));
			expect(fetch.mock.calls[1]?.[1]).toHaveProperty("cache", "no-store");
		},
	);

	test("unsigned with signed: false", async () => {
		const { gateway, requests } = scriptGateway([json(200, { ok: true, data: 7 })]);
		expect(await gateway.request("GET", "/x", { signed: false })).toBe(7);
		expect([...(requests[0]?.headers.keys() ?? [])]).toEqual(["accept"]);
	});

	test("signed over method, path and body, as node:crypto finds it", async () => {
		const { headers, body = "" } = await sentBy(
			(gateway) =>
				gateway.request("PATCH", "/x/{id}", {
					params: { id: "a b" },
					query: { q: 1 },
					body: { b: 1, a: "é" },
				}),
			{ baseUrl: "https://gateway.example/api" },
		);
		expect(body).toBe('{"a":"é","b":1}');
		const toSign = [
			"PATCH",
			"/api/x/a%20b",
			sha256(body),
			headers.get("X-Timestamp"),
			headers.get("X-Nonce"),
		];
		expect(headers.get("Authorization")).toBe(`HMAC ${hmacSha256(SECRET, toSign.join("\n"))}`);
	});
});

describe("headers", () => {
	test("of client and call go with every request, the call's winning whatever the case", async () => {
		const { gateway, clock, requests } = scriptGateway([html(502), ok({ mapping: MAPPING })], {
			headers: { "X-Trace": "client", "X-Tenant": "t-1", "User-Agent": "ours/1" },
		});
		await settle(
			clock,
			gateway.mappings.get(USER, { headers: { "x-trace": "call", Accept: "application/problem+json" } }),
		);
		for (const { headers } of requests) {
			expect(headers.get("X-Trace")).toBe("call");
			expect(headers.get("X-Tenant")).toBe("t-1");
			expect(headers.get("User-Agent")).toBe("ours/1");
			expect(headers.get("Accept")).toBe("application/problem+json");
		}
		expect(requests).toHaveLength(2);
	});
});
