import { MessagingGateway } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
import { createSender, type SendInput } from "messaging-gateway/sends";
import { signRequest } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
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

describe("a sender rejects with the client's own InputError, and writes nothing:", () => {
	test.each<[title: string, input: object]>([
		["half of an emoji as the text", { ...TEXT, text: CUT }],
		["half of an emoji in another field", { ...TEXT, replyToGuid: CUT }],
		["half of an emoji in the name of a field", { ...TEXT, [CUT]: 1 }],
		["half of an emoji as the handle", { ...TEXT, to: CUT }],
		["half of an emoji in the name of an attachment", { to: TO, attachments: [{ ...IMAGE, name: CUT }] }],
		["half of an emoji beside attachments", { to: TO, attachments: [IMAGE], text: CUT }],
		["half of an emoji in the name of a voice note", { to: TO, attachment: { ...IMAGE, name: CUT } }],
		["a BigInt as the text", { ...TEXT, text: 1n }],
		["a BigInt in an unknown field", { ...TEXT, priority: 1n }],
		["a BigInt as a name", { to: TO, attachments: [{ ...IMAGE, name: 1n }] }],
		["a cycle", { ...TEXT, text: cycle() }],
		["a cycle in an attachment", { to: TO, attachment: { ...IMAGE, ...cycle() } }],
		["NaN", { ...TEXT, text: Number.NaN }],
		["undefined", { ...TEXT, text: undefined }],
		["null", { ...TEXT, text: null }],
		["a function", { ...TEXT, text: fail }],
		["a symbol", { ...TEXT, text: Symbol("text") }],
		["a boxed string", { ...TEXT, text: Object("text") }],
		["toJSON that throws", { ...TEXT, toJSON: fail }],
		["a toJSON further in that throws", { ...TEXT, text: { toJSON: fail } }],
		["a getter that throws", Object.defineProperty({ to: TO }, "text", { enumerable: true, get: fail })],
		["no text", { ...TEXT, text: "" }],
		["a text over the limit of the profile", { ...TEXT, text: "x".repeat(161) }],
		["a handle without its plus", { ...TEXT, to: "15551234567" }],
		["no target", { text: "Hello" }],
		["two targets", { ...TEXT, groupId: "group-1" }],
		["an unknown field", { ...TEXT, txt: "Hello" }],
		["no list of attachments", { to: TO, attachments: IMAGE }],
		["an empty list of attachments", { to: TO, attachments: [] }],
		["a path as an attachment", { to: TO, attachments: ["a.png"] }],
		["bytes alone", { to: TO, attachments: [IMAGE.data] }],
		["a string that is not marked as base64", { to: TO, attachment: { data: "AQID", name: "a.png" } }],
		["another scheme than http", { to: TO, attachments: [{ url: "file:///a.png" }] }],
		[
			"an attachment over the limit of the profile",
			{ to: TO, attachments: [{ ...IMAGE, data: new Blob(["12345"]) }] },
		],
		[
			"a blob of a library that cannot be opened",
			{ to: TO, attachments: [{ ...IMAGE, data: { size: 1, type: "", stream: fail } }] },
		],
		["attachments and a voice note", { to: TO, attachments: [IMAGE], attachment: IMAGE }],
		["a list", [TO]],
		["a function for the input", () => TEXT],
		["a promise of the input", Promise.resolve(TEXT)],
	])("%s", async (_title, input) => {
		const profile = { limits: { textLength: 160, attachmentBytes: 4 } };
		const world = createWorld({ profile });
		const gateway = new MessagingGateway({ ...world.local.clientOptions, profile });
		const expected = await catchRejection(callOf(gateway, input));
		expect(expected).toMatchObject({ name: "InputError", code: "invalid_input", outcome: "not_sent" });
		expect(String(expected)).not.toContain("private");
		const senders = [
			world.createProcess({ gateway }),
			world.createProcess({ gateway, statusCallback: undefined }),
		];
		for (const sender of senders) {
			for (const make of [sender.send, sender.prepare]) {
				const error = await catchRejection(make(KEY, input as SendInput));
				expect(error).toEqual(expected);
			}
		}
		expect(await world.store.read(KEY)).toMatchObject({ row: undefined });
		expect(world.local.requests).toEqual([]);
	});
});

describe("what has no canonical JSON", () => {
	const { local } = createWorld();
	const { baseUrl, appId, appSecret, fetch } = local.clientOptions;
	const gateway = new MessagingGateway(local.clientOptions);
	const api = signedKy({ baseUrl, appId, appSecret, fetch });

	test.each<[code: string, body: unknown]>([
		["lone_surrogate", CUT],
		["lone_surrogate", { [CUT]: 1 }],
		["bigint", { count: 1n }],
		["cycle", cycle()],
		["not_finite", [Number.NaN]],
		["not_finite", { count: Number.POSITIVE_INFINITY }],
		["not_json", fail],
	])(
		"is an InputError with its cause in calls and in ky, and only the cause where nothing is sent: %s",
		async (code, body) => {
			const requests = [
				gateway.request("POST", "/chat", { body }),
				(async () => api.post("chat", { json: body }))(),
			];
			for (const request of requests) {
				expect(await catchRejection(request)).toMatchObject({
					code: "invalid_input",
					outcome: "not_sent",
					cause: { name: "CanonicalJsonError", code },
				});
			}
			const sign = () => signRequest({ method: "POST", url: "/chat", body, appId, appSecret });
			expect(catchError(sign)).toMatchObject({ name: "CanonicalJsonError", code });
			expect(local.requests).toEqual([]);
		},
	);
});

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

test.each(["statusCallback", "onUnresolved", "onError"])(
	"a sender rejects %s that is no function",
	(name) => {
		const { createProcess } = createWorld();
		const error = catchError(() => createProcess({ [name]: "https://app.example" }));
		expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(name) });
	},
);

test("a sender holds no timer once the attachments are read", async () => {
	const { local, store } = createWorld();
	const clock = createCountingClock();
	const gateway = new MessagingGateway({ ...local.clientOptions, clock });
	const sender = createSender({ gateway, store, digestSecret: DIGEST_SECRET });
	await sender.prepare(KEY, { to: TO, attachments: [IMAGE] });
	expect(clock.openTimers).toBe(0);
});

describe("no error is without an outcome:", () => {
	const { local, createProcess, store } = createWorld();
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
	const sender = createProcess({ gateway });
	const send = (options: unknown) => sender.send(KEY, TEXT, options as never);
	const request = (options: unknown) => gateway.request("GET", "/chat/{id}", options as never);
	const withCallback = (statusCallback: unknown) =>
		createProcess({ gateway, statusCallback: statusCallback as never }).send(KEY, TEXT);

	test.each<[message: string | RegExp, calls: (() => Promise<unknown>)[]]>([
		[
			/^the call's options must be an object/,
			[null, 5, fail].flatMap((options) => [
				() => send(options),
				() => request(options),
				() => sender.prepare(KEY, TEXT, options as never),
				() => gateway.messages.sendText(TEXT, options as never),
			]),
		],
		[
			/^Unknown option "timeout" of the call(\. Did you mean "timeoutMs"\?|: remove it, or use store)$/,
			[send, request, (options: unknown) => sender.prepare(KEY, TEXT, options as never)].map(
				(call) => () => call({ timeout: 5 }),
			),
		],
		[
			"signal must be an AbortSignal",
			[5, null, { aborted: false }].flatMap((signal) => [() => send({ signal }), () => request({ signal })]),
		],
		[
			/^operation request: method must be one of /,
			[undefined, null, 5, "get"].map((method) => () => gateway.request(method as never, "/chat")),
		],
		["params must be an object", [() => request({ params: null })]],
		["query must be an object", [() => request({ query: null })]],
		[
			"a must be a string, a number or an array of them",
			[Symbol("a"), fail, Number.NaN, [Number.NaN], 1n].map(
				(a) => () => request({ params: { id: "c-1" }, query: { a } }),
			),
		],
		[
			"id must be a non-empty string that is valid in a path",
			[Number.NaN, "", CUT, fail, undefined].map((id) => () => request({ params: { id } })),
		],
		["Your statusCallback threw, and nothing was sent", [() => withCallback(fail)]],
		[
			'statusCallback must put its token into the URL: (token) => "https://app.example/webhooks?send=" + token',
			[async () => "", () => "https://app.example", (_token: string) => undefined].map(
				(callback) => () => withCallback(callback),
			),
		],
		[
			'Unknown option "maxRetries" of the call: a sender makes one attempt, so call it again with the same key',
			[() => send({ maxRetries: 1 })],
		],
		['Unknown option "ifReuse" of the call. Did you mean "ifReused"?', [() => send({ ifReuse: "keep" })]],
	])("%s", async (message, calls) => {
		for (const call of calls) {
			const error = await catchRejection(call());
			expect(error).toMatchObject({ outcome: "not_sent" });
			expect((error as Error).message).toEqual(
				typeof message === "string" ? message : expect.stringMatching(message),
			);
		}
		expect(await store.read(KEY)).toMatchObject({ row: undefined });
		expect(local.requests).toEqual([]);
	});
});
