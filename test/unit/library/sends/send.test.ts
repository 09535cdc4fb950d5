import { MessagingGateway } from "messaging-gateway";
import {
	createSender,
	listSends,
	memorySendStore,
	observeSend,
	type SendInput,
} from "messaging-gateway/sends";
import { expect, test } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { networkError } from "../../../support/wire.ts";
import {
	createWorld,
	DIGEST_SECRET,
	KEY,
	type Play,
	replaceOnce,
	type Story,
	TEXT,
	TO,
	tell,
	type World,
} from "./sender-world.ts";

const OTHER = { ...TEXT, text: "Something else" };
const ATTACHMENTS = { to: TO, attachments: [{ name: "a.txt", data: new TextEncoder().encode("a") }] };
const VOICE_NOTE = { to: TO, attachment: { name: "a.mp3", data: new Uint8Array([1, 2]) } };
const GROUP = { participants: [TO, "+15557654321"], text: "Eight?" };
const KEEP = { ifReused: "keep" } as const;
const OUTAGE = { status: 503, times: Number.POSITIVE_INFINITY } as const;

const send =
	(input: SendInput, options?: object): Play =>
	({ sender }) =>
		sender.send(KEY, input, options);

/** One input after the other under the same key; what comes of the last one. */
const sendAfter =
	(before: SendInput, input: SendInput, options?: object): Play =>
	async ({ sender }) => {
		await sender.send(KEY, before);
		return sender.send(KEY, input, options);
	};

/** A send that goes wrong in a way, and then a call. */
const after =
	(harm: (faults: World["local"]["faults"]) => void, next: Play): Play =>
	async (world) => {
		harm(world.local.faults);
		await world.sender.send(KEY, TEXT).catch(() => undefined);
		return next(world);
	};

const during =
	(harm: (faults: World["local"]["faults"]) => void): Play =>
	({ local, sender }) => {
		harm(local.faults);
		return sender.send(KEY, TEXT);
	};

const streamed = () => ({ to: TO, attachments: [{ name: "a.txt", data: new Blob(["abc"]).stream() }] });
const endless = (name: "attachments" | "attachment") => {
	const file = { name: "a.wav", data: new ReadableStream<Uint8Array>() };
	return { to: TO, [name]: name === "attachments" ? [file] : file } as never;
};

const rejected = (faults: World["local"]["faults"]) => faults.respond({ status: 429, retryAfterSeconds: 60 });
const lost = (faults: World["local"]["faults"]) => faults.dropConnection({ when: "after" });

const ACCEPTED = "1 posted: accepted by response, with its message";
const KNOWN = "1 posted: accepted by response";

const SENDS: Outcomes<Story> = {
	[ACCEPTED]: {
		"a text": send(TEXT),
		attachments: send(ATTACHMENTS),
		"a voice note": send(VOICE_NOTE),
		"a group's text": send(GROUP),
		"a text beside an empty list of attachments": send({ ...TEXT, attachments: [] } as never),
		"attachments beside an empty text": send({ ...ATTACHMENTS, text: "" }),
		"every option of a call": send(TEXT, {
			signal: new AbortController().signal,
			timeoutMs: 1_000,
			attemptTimeoutMs: 500,
			headers: { "X-Trace": "1" },
			ifReused: "throw",
		}),
		"after an intent": async ({ sender }) => {
			await sender.prepare(KEY, TEXT);
			await sender.prepare(KEY, TEXT);
			return sender.send(KEY, TEXT);
		},
		"after a refused connection": async ({ sender, createProcess }) => {
			const refused = createProcess({ fetch: () => Promise.reject(networkError("ECONNREFUSED")) });
			await refused.send(KEY, TEXT).catch(() => undefined);
			return sender.send(KEY, TEXT);
		},
		"after headers that cannot be sent": async ({ sender }) => {
			await sender.send(KEY, TEXT, { headers: { Authorization: "x" } }).catch(() => undefined);
			return sender.send(KEY, TEXT);
		},
		"a key of 256 characters": ({ sender }) => sender.send("k".repeat(256), TEXT),
	},
	[KNOWN]: {
		"a text again": sendAfter(TEXT, TEXT),
		"a text again, in another process": async ({ sender, createProcess }) => {
			await sender.send(KEY, TEXT);
			return createProcess().send(KEY, TEXT);
		},
		"attachments again": sendAfter(ATTACHMENTS, ATTACHMENTS),
		"a voice note again": sendAfter(VOICE_NOTE, VOICE_NOTE),
		"a group's text again": sendAfter(GROUP, GROUP),
		"a stream with the same bytes": sendAfter(streamed(), streamed()),
		"another order of the fields, and undefined": sendAfter(TEXT, {
			text: TEXT.text,
			to: TO,
			from: undefined,
		}),
		"a secret in rotation": async ({ sender, createProcess }) => {
			await sender.send(KEY, TEXT);
			return createProcess({ digestSecret: ["a new secret", DIGEST_SECRET] }).send(KEY, TEXT);
		},
	},
	"1 posted: accepted by response, kept": {
		"another input, with keep": sendAfter(TEXT, OTHER, KEEP),
	},
	'1 posted: not_sent key_reused: Not sent: this key belongs to another message. Use a new key, or ifReused: "keep" to keep that message. If the input is the same, give all processes one digestSecret':
		{
			"another text": sendAfter(TEXT, OTHER),
			"another number": sendAfter(TEXT, { ...TEXT, to: "+15557654321" }),
			"an intent of another input": async ({ sender }) => {
				await sender.send(KEY, TEXT);
				return sender.prepare(KEY, OTHER);
			},
			"after a rejection": after(rejected, send(OTHER)),
			"another digestSecret": async ({ sender, createProcess }) => {
				await sender.send(KEY, TEXT);
				return createProcess({ digestSecret: "a new secret" }).send(KEY, TEXT);
			},
		},
	'0 posted: not_sent key_reused: Not sent: this key belongs to another message. Use a new key, or ifReused: "keep" to keep that message. If the input is the same, give all processes one digestSecret':
		{
			"after an intent of another input": async ({ sender }) => {
				await sender.prepare(KEY, TEXT);
				return sender.send(KEY, OTHER);
			},
			"an intent, while another process writes one of another input": ({ sender, store, createProcess }) => {
				const insert = async () => {
					await sender.prepare(KEY, OTHER);
					return false;
				};
				return createProcess({ store: { ...store, insert } }).prepare(KEY, TEXT);
			},
			"an intent after one of another input": async ({ sender }) => {
				await sender.prepare(KEY, TEXT);
				return sender.prepare(KEY, OTHER);
			},
		},
	"2 posted: accepted by response, with its message": {
		"after a rejection": after(rejected, send(TEXT)),
		"after another rejection, with another input and keep": after(
			(faults) => faults.respond({ status: 429 }),
			send(OTHER, KEEP),
		),
		"after a code of the profile's rejectionCodes": [
			{ profile: { rejectionCodes: ["SERVICE_UNAVAILABLE"] } },
			after((faults) => faults.respond({ status: 503 }), send(TEXT)),
		],
	},
	"3 posted: accepted by response, with its message": {
		"once a window is over": [
			{ rules: "on" },
			async ({ sender, clock }) => {
				await sender.send("first", TEXT);
				const error = await catchRejection(sender.send(KEY, TEXT));
				await clock.advance((error as { retryAfterMs: number }).retryAfterMs);
				return sender.send(KEY, TEXT);
			},
		],
	},
	"1 posted: rejected rate_limited 429 7000 ms after 1 attempts": {
		"a limit": during((faults) => faults.respond({ status: 429, retryAfterSeconds: 7 })),
	},
	"2 posted: rejected duplicate_message 409 300000 ms after 1 attempts": {
		"a window": [
			{ rules: "on" },
			async ({ sender }) => {
				await sender.send("first", TEXT);
				return sender.send(KEY, TEXT);
			},
		],
	},
	"1 posted: rejected server_error 503 after 1 attempts": {
		"a code of the profile's rejectionCodes": [
			{ profile: { rejectionCodes: ["SERVICE_UNAVAILABLE"] } },
			during((faults) => faults.respond({ status: 503 })),
		],
	},
	"0 posted: not_sent connection_failed after 1 attempts": {
		"a refused connection": ({ createProcess }) =>
			createProcess({ fetch: () => Promise.reject(networkError("ECONNREFUSED")) }).send(KEY, TEXT),
	},
	"1 posted: unresolved: unknown connection_failed, send_again in 600000 ms": {
		"a connection that breaks before acceptance": during((faults) =>
			faults.dropConnection({ when: "before" }),
		),
	},
	"1 posted: unresolved: unknown connection_failed mapping 1/0, send_again in 600000 ms": {
		"a connection that breaks after acceptance": during(lost),
		"again, after such a one": after(lost, send(TEXT)),
		"again, in another process": after(lost, ({ createProcess }) => createProcess().send(KEY, TEXT)),
	},
	"1 posted: unresolved, kept: unknown connection_failed mapping 1/0, send_again in 600000 ms": {
		"another input, with keep, after a broken connection": after(lost, send(OTHER, KEEP)),
	},
	"1 posted: unresolved: unknown connection_failed mapping 1/0/true, send_again in 600000 ms": {
		"a broken connection, where the contact has a window": [{ rules: "on" }, during(lost)],
	},
	"1 posted: unresolved: unknown unexpected_response 202 mapping 1/0, send_again in 600000 ms": {
		"a login page": during((faults) => faults.corrupt({ as: "html" })),
	},
	"1 posted: accepted by response, without an id": {
		"accepted data that cannot be used": during((faults) =>
			faults.respond({ status: 202, body: { ok: true, data: 7 } }),
		),
		"accepted without data": during((faults) => faults.respond({ status: 202, body: { ok: true } })),
	},
	"1 posted: accepted by response, without an id, with its message": {
		"an id that is no UUID": during((faults) =>
			faults.respond({ status: 202, body: { ok: true, data: { message: { messageId: "7" } } } }),
		),
	},
	"1 posted: unresolved: unknown server_error 503, send_again in 600000 ms": {
		"an outage": during((faults) => faults.respond(OUTAGE)),
		"an outage, again": after((faults) => faults.respond(OUTAGE), send(TEXT)),
	},
	"0 posted: not_sent timeout 1000 ms after 0 attempts": {
		"attachments without an end, with a limit": ({ sender, clock }) =>
			settle(clock, sender.send(KEY, endless("attachments"), { timeoutMs: 1_000 })),
		"a voice note without an end, with a limit": ({ sender, clock }) =>
			settle(clock, sender.send(KEY, endless("attachment"), { timeoutMs: 1_000 })),
	},
	"0 posted: not_sent timeout 60000 ms after 0 attempts": {
		"an intent with a voice note without an end": ({ sender, clock }) =>
			settle(clock, sender.prepare(KEY, endless("attachment"))),
	},
	"0 posted: : stop": {
		"aborted while a stream is read": ({ sender }) => {
			const controller = new AbortController();
			const sending = sender.send(KEY, endless("attachment"), { signal: controller.signal });
			controller.abort(new Error("stop"));
			return sending;
		},
		"aborted before": send(TEXT, { signal: AbortSignal.abort(new Error("stop")) }),
	},
	"1 posted: accepted by status, kept": {
		"another input while a claim is proved, with keep: its words were sent": async (world) => {
			const { local, store, events, createProcess } = world;
			// What the network sends twice may be accepted, and then rejected as a duplicate.
			const repeated = createProcess({
				fetch: async (url, init) => {
					await local.clientOptions.fetch(url, init);
					const error = { code: "DUPLICATE_MESSAGE", message: "" };
					return Response.json({ ok: false, error }, { status: 409 });
				},
			});
			await catchRejection(repeated.send(KEY, TEXT));
			await local.settled();
			const proving = replaceOnce(store, 1, async (claim) => {
				const isClaimed = await claim();
				for (const event of events) await observeSend(store, event);
				return isClaimed;
			});
			return createProcess({ store: proving }).send(KEY, OTHER, KEEP);
		},
	},
	"2 posted: accepted by response, kept": {
		"rejected, and meanwhile another input was accepted, with keep": rejectedBeside(KEEP),
	},
	"2 posted: rejected rate_limited 429 after 1 attempts": {
		"rejected, and meanwhile another input was accepted": rejectedBeside({}),
	},
	"0 posted: not_sent configuration: ifReused must be one of throw, keep": {
		"a choice that is misspelt": send(TEXT, { ifReused: "keeps" }),
	},
	'0 posted: not_sent configuration: Unknown option "timeoutMS" of the call. Did you mean "timeoutMs"?': {
		"an option that is misspelt": send(TEXT, { timeoutMS: 3 }),
	},
	"0 posted: not_sent configuration: timeoutMs must be a number above 0": {
		"a limit of 0": send(TEXT, { timeoutMs: 0 }),
	},
	"0 posted: not_sent configuration: The header Authorization belongs to the client and its connection: leave it out":
		{ "headers that cannot be sent": send(TEXT, { headers: { Authorization: "x" } }) },
	"0 posted: not_sent invalid_input: key must be a string of 1 to 256 visible ASCII characters": {
		...Object.fromEntries(
			["", "a b", "é", "k".repeat(257), 7, undefined].map((key) => [
				`the key ${String(key).slice(0, 9)}`,
				({ sender }: World) => sender.send(key as never, TEXT),
			]),
		),
		"an intent without a key": ({ sender }) => sender.prepare("", TEXT),
	},
	"0 posted: not_sent invalid_input: statusCallback is an option of createSender: leave it out here": {
		"a callback of its own": send({ ...TEXT, statusCallback: "https://app.example/x" } as never),
	},
};

/** A send that is rejected; its end is written, but not told, and another input is accepted before it is known. */
function rejectedBeside(options: object): Play {
	return ({ local, store, createProcess }) => {
		local.faults.respond({ status: 429 });
		const losing = replaceOnce(store, 2, async (end) => {
			await end();
			await createProcess().send(KEY, OTHER, KEEP);
			throw new Error("no response");
		});
		return createProcess({ store: losing, onError: () => undefined }).send(KEY, TEXT, options);
	};
}

testOutcomes(SENDS, tell);

test("the input that was kept out is replaced, for every later call", async () => {
	const { sender, store, local } = createWorld({ keepInput: true });
	local.faults.respond({ status: 429 });
	await catchRejection(sender.send(KEY, TEXT));
	await sender.send(KEY, OTHER, KEEP);
	expect(local.sent.map(({ text }) => text)).toEqual([OTHER.text]);
	expect(await sender.send(KEY, OTHER)).toMatchObject({ status: "accepted" });
	expect(await collect(listSends(store, { status: "accepted" }))).toMatchObject([{ input: OTHER }]);
	expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({ code: "key_reused" });
});

test("the result has the whole message once, and its id for good", async () => {
	const { sender, local } = createWorld();
	const [first, again] = [await sender.send(KEY, TEXT), await sender.send(KEY, TEXT)];
	const messageId = local.sent[0]?.messageId;
	expect(first).toMatchObject({ messageId, message: { messageId, text: TEXT.text } });
	expect(again).toEqual({ status: "accepted", proof: "response", messageId, message: undefined });
});

test("a reason that claims that nothing was sent does not say so of a send under way", async () => {
	const { sender, local, posts, createProcess } = createWorld();
	const controller = new AbortController();
	local.faults.dropConnection({ when: "before" });
	const notSent = catchError(() => new MessagingGateway({ baseUrl: "no" }));
	expect(notSent).toMatchObject({ outcome: "not_sent" });
	const aborting = createProcess({
		fetch: async (url, init) => {
			const response = await local.clientOptions.fetch(url, init).catch(() => undefined);
			controller.abort(notSent);
			return response ?? new Promise<never>(() => undefined);
		},
	});
	expect(await catchRejection(aborting.send(KEY, TEXT, { signal: controller.signal }))).toBe(notSent);
	expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	expect(posts()).toHaveLength(1);
});

test("a call that is aborted before writes nothing", async () => {
	const { sender, store } = createWorld();
	await catchRejection(sender.send(KEY, TEXT, { signal: AbortSignal.abort() }));
	expect(await store.read(KEY)).toMatchObject({ row: undefined });
});

test("a record keeps the digest of its secret: a process that only has that one knows it still", async () => {
	const { sender, local, createProcess } = createWorld();
	const rotating = createProcess({ digestSecret: ["a new secret", DIGEST_SECRET] });
	for (const process of [sender, rotating]) {
		local.faults.respond({ status: 429 });
		await catchRejection(process.send(KEY, TEXT));
	}
	expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
});

test("many rejections do not let the record grow", async () => {
	const { sender, local, store } = createWorld();
	const sizes: number[] = [];
	for (let at = 0; at < 9; at++) {
		local.faults.respond({ status: 400 });
		await catchRejection(sender.send(KEY, TEXT));
		sizes.push((await store.read(KEY)).row?.data.length ?? 0);
	}
	expect(sizes.at(-1)).toBe(sizes[0]);
});

test("an outage is counted by onUnresolved, once for each attempt, even if it fails", async () => {
	const unresolved: object[] = [];
	const onUnresolved = async (send: object) => {
		unresolved.push(send);
		throw new Error("no metrics today");
	};
	const { sender, local } = createWorld({ onUnresolved });
	await sender.send("accepted", TEXT);
	local.faults.respond({ status: 400 });
	await catchRejection(sender.send("rejected", TEXT));
	local.faults.respond(OUTAGE);
	for (const key of ["a", "a", "b"]) await sender.send(key, TEXT);
	expect(unresolved).toMatchObject([
		{ key: "a", evidence: { attempts: [{ httpStatus: 503 }] } },
		{ key: "b", evidence: { attempts: [{ httpStatus: 503 }] } },
	]);
});

const good = { gateway: new MessagingGateway(), store: memorySendStore(), digestSecret: "a secret" };

/** What createSender says of an option; the others are good ones. */
function refuse(options: unknown): string {
	const error = catchError(() => createSender(options as never)) as { code: string; message: string };
	return `${error.code}: ${error.message}`;
}

const OPTIONS: Outcomes<unknown> = {
	"configuration: gateway must be a MessagingGateway: pass new MessagingGateway()": {
		"no gateway": { ...good, gateway: undefined },
		"a gateway that is empty": { ...good, gateway: {} },
	},
	"configuration: store is required. Use memorySendStore() in development, and sqliteSendStore or postgresSendStore in production":
		{ "no store": { ...good, store: undefined } },
	"configuration: store must be what memorySendStore(), sqliteSendStore(…) or postgresSendStore(…) returns": {
		"a store without find": { ...good, store: { ...good.store, find: 1 } },
	},
	"configuration: leaseMs must be a number above 0": {
		"a lease of 0": { ...good, leaseMs: 0 },
		"a lease that is no number": { ...good, leaseMs: "5" },
	},
	"configuration: storeTimeoutMs must be a number above 0": {
		"a limit of 0": { ...good, storeTimeoutMs: 0 },
	},
	"configuration: digestSecret is empty. Pass it to createSender, or set MESSAGING_GATEWAY_DIGEST_SECRET. Make one: `openssl rand -hex 32`":
		{ "a blank secret": { ...good, digestSecret: " " } },
	"configuration: digestSecret is missing. Pass it to createSender, or set MESSAGING_GATEWAY_DIGEST_SECRET. Make one: `openssl rand -hex 32`":
		{ "no secret in a list": { ...good, digestSecret: [] } },
	"configuration: keepInput must be true or false": { "a word for keepInput": { ...good, keepInput: "yes" } },
	'configuration: Unknown option "leaseMS" of createSender. Did you mean "leaseMs"?': {
		"a misspelt option": { ...good, leaseMS: 5 },
	},
	"configuration: createSender options must be an object": { nothing: undefined },
	"configuration: statusCallback must be a function": {
		"a URL as statusCallback": { ...good, statusCallback: "https://app.example" },
	},
	"configuration: onUnresolved must be a function": {
		"a URL as onUnresolved": { ...good, onUnresolved: "https://app.example" },
	},
	"configuration: onError must be a function": {
		"a URL as onError": { ...good, onError: "https://app.example" },
	},
};

testOutcomes(OPTIONS, refuse);

test("every option is known", () => {
	const hooks = { statusCallback: () => "", onUnresolved: () => undefined, onError: () => undefined };
	createSender({ ...good, ...hooks, keepInput: true, leaseMs: 1, storeTimeoutMs: 1 });
});

test("the store holds neither number nor text; with keepInput the input is listed", async () => {
	const { sender, store, createProcess } = createWorld();
	await sender.send(KEY, TEXT);
	const { row } = await store.read(KEY);
	expect(row?.data).toMatch(/"digest":"[0-9a-f]{64}"/);
	expect(row?.data).not.toContain(TO.slice(2));
	expect(row?.data).not.toContain(TEXT.text);
	await createProcess({ keepInput: true }).prepare("kept", TEXT);
	const [listed] = await collect(listSends(store, { status: "open" }));
	expect(listed).toMatchObject({ key: "kept", input: TEXT, verdict: { status: "open" } });
});

test("equal inputs under two keys have nothing in common", async () => {
	const { sender, store } = createWorld();
	await sender.send("a", TEXT);
	await sender.send("b", TEXT);
	const digests = await Promise.all(
		["a", "b"].map(async (key) => JSON.parse((await store.read(key)).row?.data ?? "{}").digest),
	);
	expect(digests[0]).not.toBe(digests[1]);
});
