import { inspect } from "node:util";
import { type InputError, MessagingGateway } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
import { createSender, type SendError, type SendInput } from "messaging-gateway/sends";
import { type CanonicalJsonError, signRequest } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { createWorld, DIGEST_SECRET, KEY, TEXT, TO } from "./sender-world.ts";

const CUT = "👋".slice(0, 1);
const IMAGE = { data: Uint8Array.of(1, 2, 3), name: "a.png" };

/** Of a value that contains itself. */
function cycle(): object {
	const value: Record<string, unknown> = {};
	value["self"] = value;
	return value;
}

function fail(): never {
	throw new Error("private text");
}

function callOf(gateway: MessagingGateway, input: object): Promise<unknown> {
	if ("attachments" in input) return gateway.messages.sendAttachments(input as never);
	if ("attachment" in input) return gateway.messages.sendVoiceNote(input as never);
	return gateway.messages.sendText(input as never);
}

/** What the client says of an input, and a sender in the same words, with its callback and without; nothing is written. */
async function refusalOf(input: object): Promise<string> {
	const profile = { limits: { textLength: 160, attachmentBytes: 4 } };
	const { local, store, createProcess } = createWorld({ profile });
	const gateway = new MessagingGateway({ ...local.clientOptions, profile });
	const expected = (await catchRejection(callOf(gateway, input))) as InputError;
	expect(String(expected)).not.toContain("private");
	for (const options of [{ gateway }, { gateway, statusCallback: undefined }]) {
		const sender = createProcess(options);
		for (const make of [sender.send, sender.prepare])
			expect(await catchRejection(make(KEY, input as SendInput))).toEqual(expected);
	}
	expect(await store.read(KEY)).toMatchObject({ row: undefined });
	expect(local.requests).toEqual([]);
	return `${expected.outcome} ${expected.code}: ${expected.message}`;
}

const INPUTS: Outcomes<object> = {
	"not_sent invalid_input: The body can't be sent as JSON: a string holds half of a surrogate pair: it was cut inside a character":
		{
			"half of an emoji as the text": { ...TEXT, text: CUT },
			"half of an emoji in another field": { ...TEXT, replyToGuid: CUT },
			"half of an emoji in the name of an attachment": { to: TO, attachments: [{ ...IMAGE, name: CUT }] },
			"half of an emoji beside attachments": { to: TO, attachments: [IMAGE], text: CUT },
			"half of an emoji in the name of a voice note": { to: TO, attachment: { ...IMAGE, name: CUT } },
		},
	"not_sent invalid_input: messages.sendText: the input has an unknown field (hidden, since a name may be a secret): use to, groupId, participants, groupName, from, effect, replyToGuid, statusCallback, text":
		{
			"half of an emoji in the name of a field": { ...TEXT, [CUT]: 1 },
			"a BigInt in an unknown field": { ...TEXT, priority: 1n },
			"toJSON that throws": { ...TEXT, toJSON: fail },
		},
	"not_sent invalid_input: messages.sendText: to must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567":
		{
			"half of an emoji as the handle": { ...TEXT, to: CUT },
			"a handle without its plus": { ...TEXT, to: "15551234567" },
		},
	"not_sent invalid_input: messages.sendText: text must be a string": {
		"a BigInt as the text": { ...TEXT, text: 1n },
		"a cycle": { ...TEXT, text: cycle() },
		NaN: { ...TEXT, text: Number.NaN },
		null: { ...TEXT, text: null },
		"a symbol": { ...TEXT, text: Symbol("text") },
		"a boxed string": { ...TEXT, text: Object("text") },
		"a toJSON further in that throws": { ...TEXT, text: { toJSON: fail } },
	},
	"not_sent invalid_input: messages.sendAttachments: attachments.0 must be { url, name?, mimeType? } with an http(s) URL, or { data, name, mimeType }":
		{
			"a BigInt as a name": { to: TO, attachments: [{ ...IMAGE, name: 1n }] },
		},
	"not_sent invalid_input: messages.sendVoiceNote: attachment has an unknown field (hidden, since a name may be a secret): use data, name, mimeType":
		{
			"a cycle in an attachment": { to: TO, attachment: { ...IMAGE, ...cycle() } },
		},
	"not_sent invalid_input: messages.sendText: text is required": {
		undefined: { ...TEXT, text: undefined },
		"a promise of the input": Promise.resolve(TEXT),
	},
	"not_sent invalid_input: messages.sendText: text must be a string; text must not be empty": {
		"a function": { ...TEXT, text: fail },
	},
	"not_sent invalid_input: The input couldn't be read: one of its getters threw": {
		"a getter that throws": Object.defineProperty({ to: TO }, "text", { enumerable: true, get: fail }),
	},
	"not_sent invalid_input: messages.sendText: text must not be empty": {
		"no text": { ...TEXT, text: "" },
	},
	"not_sent invalid_input: messages.sendText: text must be at most 160 UTF-16 code units, by profile.limits":
		{
			"a text over the limit of the profile": { ...TEXT, text: "x".repeat(161) },
		},
	"not_sent invalid_input: messages.sendText: the input must have exactly one of to, groupId, participants": {
		"no target": { text: "Hello" },
		"two targets": { ...TEXT, groupId: "group-1" },
	},
	'not_sent invalid_input: messages.sendText: the input has an unknown field: "txt" (did you mean "text"?)': {
		"an unknown field": { ...TEXT, txt: "Hello" },
	},
	"not_sent invalid_input: attachments must be a list of attachments: wrap the attachment in [ ]": {
		"no list of attachments": { to: TO, attachments: IMAGE },
	},
	"not_sent invalid_input: messages.sendAttachments: attachments must be at least 1 item": {
		"an empty list of attachments": { to: TO, attachments: [] },
	},
	"not_sent invalid_input: attachments.0 is a string: pass { url }, { data, name }, a File, or `await attachmentFromFile(path)` of messaging-gateway/node":
		{
			"a path as an attachment": { to: TO, attachments: ["a.png"] },
		},
	"not_sent invalid_input: attachments.0 is bytes without a name: pass { data, name }": {
		"bytes alone": { to: TO, attachments: [IMAGE.data] },
	},
	'not_sent invalid_input: attachment.data is a string: for base64 pass { data, encoding: "base64" }, for plain text new TextEncoder().encode(text)':
		{
			"a string that is not marked as base64": { to: TO, attachment: { data: "AQID", name: "a.png" } },
		},
	"not_sent invalid_input: messages.sendAttachments: attachments.0.url must be an absolute http or https URL":
		{
			"another scheme than http": { to: TO, attachments: [{ url: "file:///a.png" }] },
		},
	"not_sent invalid_input: attachments.0 must be at most 4 bytes: use a url for larger files": {
		"an attachment over the limit of the profile": {
			to: TO,
			attachments: [{ ...IMAGE, data: new Blob(["12345"]) }],
		},
	},
	"not_sent invalid_input: attachments.0 couldn't be read to its end": {
		"a blob of a library that cannot be opened": {
			to: TO,
			attachments: [{ ...IMAGE, data: { size: 1, type: "", stream: fail } }],
		},
	},
	'not_sent invalid_input: messages.sendAttachments: the input has an unknown field: "attachment" (did you mean "attachments"?)':
		{
			"attachments and a voice note": { to: TO, attachments: [IMAGE], attachment: IMAGE },
		},
	"not_sent invalid_input: The input must be an object": {
		"a list": [TO],
		"a function for the input": () => TEXT,
	},
};

testOutcomes(INPUTS, refusalOf);

/** Where a body without canonical JSON is an InputError with its cause, and where only the cause. */
async function causeOf(body: unknown): Promise<string> {
	const { local } = createWorld();
	const { baseUrl, appId, appSecret, fetch } = local.clientOptions;
	const gateway = new MessagingGateway(local.clientOptions);
	const api = signedKy({ baseUrl, appId, appSecret, fetch });
	const sign = () => signRequest({ method: "POST", url: "/chat", body, appId, appSecret });
	const { name, code } = catchError(sign) as CanonicalJsonError;
	const requests = [
		gateway.request("POST", "/chat", { body }),
		(async () => api.post("chat", { json: body }))(),
	];
	for (const request of requests)
		expect(await catchRejection(request)).toMatchObject({
			code: "invalid_input",
			outcome: "not_sent",
			cause: { name, code },
		});
	expect(local.requests).toEqual([]);
	return `${name} ${code}`;
}

const BODIES: Outcomes<unknown> = {
	"CanonicalJsonError lone_surrogate": {
		"half of an emoji": CUT,
		"half of an emoji in a name": { [CUT]: 1 },
	},
	"CanonicalJsonError bigint": { "a BigInt": { count: 1n } },
	"CanonicalJsonError cycle": { "a cycle": cycle() },
	"CanonicalJsonError not_finite": { NaN: [Number.NaN], Infinity: { count: Number.POSITIVE_INFINITY } },
	"CanonicalJsonError not_json": { "a function": fail },
};

testOutcomes(BODIES, causeOf);

test("a sender needs canonical JSON also where the gateway's own form would take the input", async () => {
	const profile = { signing: { canonicalBody: JSON.stringify } };
	const { sender, store, local } = createWorld({ profile });
	const error = await catchRejection(sender.send(KEY, { ...TEXT, text: CUT }));
	expect(error).toMatchObject({
		name: "InputError",
		outcome: "not_sent",
		cause: { name: "CanonicalJsonError", code: "lone_surrogate" },
	});
	expect(await store.read(KEY)).toMatchObject({ row: undefined });
	expect(local.requests).toEqual([]);
});

test("a sender holds no timer once the attachments are read", async () => {
	const { local, store } = createWorld();
	const clock = createCountingClock();
	const gateway = new MessagingGateway({ ...local.clientOptions, clock });
	const sender = createSender({ gateway, store, digestSecret: DIGEST_SECRET });
	await sender.prepare(KEY, { to: TO, attachments: [IMAGE] });
	expect(clock.openTimers).toBe(0);
});

/** Calls with arguments of any type. */
function createCalls() {
	const { local, createProcess, store } = createWorld();
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
	const sender = createProcess({ gateway });
	return {
		local,
		store,
		send: (options: unknown) => sender.send(KEY, TEXT, options as never),
		prepare: (options: unknown) => sender.prepare(KEY, TEXT, options as never),
		sendText: (options: unknown) => gateway.messages.sendText(TEXT, options as never),
		request: (options: unknown) => gateway.request("GET", "/chat/{id}", options as never),
		requestBy: (method: unknown) => gateway.request(method as never, "/chat"),
		sendWith: (statusCallback: unknown) =>
			createProcess({ gateway, statusCallback: statusCallback as never }).send(KEY, TEXT),
	};
}

/** The name of a call, and its argument. */
type Call = readonly [
	name: Exclude<keyof ReturnType<typeof createCalls>, "local" | "store">,
	argument: unknown,
];

/** What a call says that fails before anything is written or sent: every error has an outcome. */
async function failureOf([name, argument]: Call): Promise<string> {
	const { local, store, ...calls } = createCalls();
	const error = (await catchRejection(calls[name](argument))) as SendError;
	expect(await store.read(KEY)).toMatchObject({ row: undefined });
	expect(local.requests).toEqual([]);
	return `${error.outcome}: ${error.message}`;
}

/** A row for each argument of each call. */
const rows = (names: readonly Call[0][], ...args: readonly unknown[]): Record<string, Call> =>
	Object.fromEntries(
		names.flatMap((name) =>
			args.map((argument) => [`${name} ${inspect(argument)}`, [name, argument] as const]),
		),
	);

const CALLS: Outcomes<Call> = {
	"not_sent: The call's options must be an object, such as { signal: … }": rows(
		["send", "sendText"],
		null,
		5,
		fail,
	),
	"not_sent: The call's options must be an object, such as { store: … }": rows(["prepare"], null, 5, fail),
	"not_sent: The call's options must be an object": rows(["request"], null, 5, fail),
	'not_sent: Unknown option "timeout" of the call. Did you mean "timeoutMs"?': rows(["send", "request"], {
		timeout: 5,
	}),
	'not_sent: Unknown option "timeout" of the call: remove it, or use store': rows(["prepare"], {
		timeout: 5,
	}),
	"not_sent: signal must be an AbortSignal": rows(
		["send", "request"],
		{ signal: 5 },
		{ signal: null },
		{ signal: { aborted: false } },
	),
	"not_sent: operation request: method must be one of GET, POST, PUT, PATCH, DELETE": rows(
		["requestBy"],
		undefined,
		null,
		5,
		"get",
	),
	"not_sent: params must be an object": rows(["request"], { params: null }),
	"not_sent: query must be an object": rows(["request"], { query: null }),
	"not_sent: a must be a string, a number or an array of them": rows(
		["request"],
		...[Symbol("a"), fail, Number.NaN, [Number.NaN], 1n].map((a) => ({
			params: { id: "c-1" },
			query: { a },
		})),
	),
	"not_sent: id must be a non-empty string that is valid in a path": rows(
		["request"],
		...[Number.NaN, "", CUT, fail, undefined].map((id) => ({ params: { id } })),
	),
	"not_sent: Your statusCallback threw, and nothing was sent": rows(["sendWith"], fail),
	'not_sent: statusCallback must put its token into the URL: (token) => "https://app.example/webhooks?send=" + token':
		rows(
			["sendWith"],
			async () => "",
			() => "https://app.example",
			function nothing() {},
		),
	'not_sent: Unknown option "maxRetries" of the call: a sender makes one attempt, so call it again with the same key':
		rows(["send"], { maxRetries: 1 }),
	'not_sent: Unknown option "ifReuse" of the call. Did you mean "ifReused"?': rows(["send"], {
		ifReuse: "keep",
	}),
};

testOutcomes(CALLS, failureOf);
