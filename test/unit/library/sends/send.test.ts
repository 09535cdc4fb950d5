import { inspect } from "node:util";
import { DuplicateMessageError, isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import {
	createSender,
	listSends,
	memorySendStore,
	observeSend,
	resolveSend,
	type SendError,
	type SenderOptions,
} from "messaging-gateway/sends";
import { describe, expect, test } from "vitest";
import { catchError, catchRejection, codeOf } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { networkError } from "../../../support/wire.ts";
import { createWorld, DIGEST_SECRET, KEY, replaceOnce, TEXT, TO } from "./sender-world.ts";

test("a send is made once, whoever repeats it", async () => {
	const { sender, createProcess, posts, local } = createWorld();
	const result = await sender.send(KEY, TEXT);
	const messageId = local.sent[0]?.messageId;
	expect(result).toMatchObject({
		status: "accepted",
		proof: "response",
		messageId,
		message: { text: TEXT.text },
	});
	const known = { status: "accepted", proof: "response", messageId, message: undefined };
	expect(await sender.send(KEY, TEXT)).toEqual(known);
	expect(await createProcess().send(KEY, TEXT)).toEqual(known);
	expect(posts()).toHaveLength(1);
});

test.each([
	["attachments", { to: TO, attachments: [{ name: "a.txt", data: new TextEncoder().encode("a") }] }],
	["a voice note", { to: TO, attachment: { name: "a.mp3", data: new Uint8Array([1, 2]) } }],
	["a group's text", { participants: [TO, "+15557654321"], text: "Eight?" }],
] as const)("%s are sent by the same form", async (_name, input) => {
	const { sender, posts } = createWorld();
	expect(await sender.send(KEY, input)).toMatchObject({ status: "accepted" });
	expect(await sender.send(KEY, input)).toMatchObject({ status: "accepted" });
	expect(posts()).toHaveLength(1);
});

test.each(["attachments", "attachment"])("a stream without an end, as %s, ends in time", async (name) => {
	const { sender, clock, store } = createWorld();
	const file = { name: "a.wav", data: new ReadableStream<Uint8Array>() };
	const input = { to: TO, [name]: name === "attachments" ? [file] : file } as never;
	const late = { name: "TimeoutError", code: "timeout", outcome: "not_sent", attempts: 0 };
	expect(await catchRejection(settle(clock, sender.send(KEY, input, { timeoutMs: 1_000 })))).toMatchObject({
		...late,
		limitMs: 1_000,
	});
	const again = { to: TO, attachment: { name: "a.wav", data: new ReadableStream<Uint8Array>() } };
	expect(await catchRejection(settle(clock, sender.prepare(KEY, again)))).toMatchObject(late);
	const controller = new AbortController();
	const reason = new Error("enough");
	const third = { to: TO, attachment: { name: "a.wav", data: new ReadableStream<Uint8Array>() } };
	const stopped = catchRejection(sender.send(KEY, third, { signal: controller.signal }));
	controller.abort(reason);
	expect(await stopped).toBe(reason);
	expect(await store.read(KEY)).toMatchObject({ row: undefined });
});

test("a stream is read once, and its bytes identify the input", async () => {
	const { sender, posts } = createWorld();
	const attachments = () => [{ name: "a.txt", data: new Blob(["abc"]).stream() }];
	await sender.send(KEY, { to: TO, attachments: attachments() });
	expect(await sender.send(KEY, { to: TO, attachments: attachments() })).toMatchObject({
		status: "accepted",
	});
	expect(posts()).toHaveLength(1);
});

test("the same key with another input is an error, before and after acceptance, and nothing is sent", async () => {
	const { sender, local, posts } = createWorld();
	local.faults.respond({ status: 429, retryAfterSeconds: 60 });
	await catchRejection(sender.send(KEY, TEXT));
	const error = await catchRejection(sender.send(KEY, { ...TEXT, text: "Something else" }));
	expect(error).toMatchObject({ name: "SendError", code: "key_reused", outcome: "not_sent" });
	expect(posts()).toHaveLength(1);
	await sender.send(KEY, TEXT);
	expect(await codeOf(sender.send(KEY, { ...TEXT, to: "+15557654321" }))).toBe("key_reused");
	expect(await codeOf(sender.prepare(KEY, { ...TEXT, text: "x" }))).toBe("key_reused");
	expect(posts()).toHaveLength(2);
});

describe('with ifReused: "keep"', () => {
	const OTHER = { ...TEXT, text: "Something else" };
	const KEEP = { ifReused: "keep" } as const;

	test("a send that was accepted is returned, and the other input is not sent", async () => {
		const { sender, posts } = createWorld();
		const { status, messageId } = (await sender.send(KEY, TEXT)) as { status: string; messageId: string };
		expect(await sender.send(KEY, OTHER, KEEP)).toMatchObject({ status, messageId, proof: "response" });
		expect(posts()).toHaveLength(1);
	});

	test("a send that may have been accepted stays unresolved", async () => {
		const { sender, local, posts } = createWorld({ withoutCallbacks: true });
		local.faults.dropConnection({ when: "after" });
		await sender.send(KEY, TEXT);
		expect(await sender.send(KEY, OTHER, KEEP)).toMatchObject({ status: "unresolved" });
		expect(posts()).toHaveLength(1);
	});

	test("a send that was certainly not accepted is replaced, for every later call", async () => {
		const { sender, store, local } = createWorld({ keepInput: true });
		local.faults.respond({ status: 429 });
		await catchRejection(sender.send(KEY, TEXT));
		expect(await sender.send(KEY, OTHER, KEEP)).toMatchObject({ status: "accepted" });
		expect(local.sent.map(({ text }) => text)).toEqual([OTHER.text]);
		expect(await sender.send(KEY, OTHER)).toMatchObject({ status: "accepted" });
		expect(await collect(listSends(store, { status: "accepted" }))).toMatchObject([{ input: OTHER }]);
		expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({ code: "key_reused" });
	});

	test("a send whose acceptance is proved while it is claimed is kept: its words were sent", async () => {
		const { local, store, events, createProcess, posts } = createWorld();
		// What the network sends twice may be accepted, and then rejected as a duplicate.
		const repeated = createProcess({
			fetch: async (url, init) => {
				await local.clientOptions.fetch(url, init);
				return Response.json(
					{ ok: false, error: { code: "DUPLICATE_MESSAGE", message: "" } },
					{ status: 409 },
				);
			},
		});
		await catchRejection(repeated.send(KEY, TEXT));
		await local.settled();
		const proving = replaceOnce(store, 1, async (claim) => {
			const isClaimed = await claim();
			for (const event of events) await observeSend(store, event);
			return isClaimed;
		});
		expect(await createProcess({ store: proving }).send(KEY, OTHER, KEEP)).toMatchObject({
			status: "accepted",
			proof: "status",
			kept: true,
		});
		expect(posts()).toHaveLength(1);
	});

	test.each([
		["is kept", KEEP, { status: "accepted", kept: true }],
		["is its own error without keep", {}, { code: "rate_limited" }],
	] as const)(
		"a rejected send beside which another input was accepted %s: its words were not sent",
		async (_what, options, expected) => {
			const { local, store, createProcess } = createWorld();
			local.faults.respond({ status: 429 });
			// The end of the attempt is written, and its response is lost.
			const losing = replaceOnce(store, 2, async (end) => {
				await end();
				await createProcess().send(KEY, OTHER, KEEP);
				throw new Error("no response");
			});
			const send = createProcess({ store: losing, onError: () => undefined }).send(KEY, TEXT, options);
			expect(await send.catch((error: unknown) => error)).toMatchObject(expected);
			expect(local.sent.map(({ text }) => text)).toEqual([OTHER.text]);
		},
	);

	test("a misspelt choice is rejected before anything is written", async () => {
		const { sender, posts } = createWorld();
		const send = sender.send(KEY, TEXT, JSON.parse('{ "ifReused": "keeps" }'));
		expect(await catchRejection(send)).toMatchObject({ code: "configuration" });
		expect(posts()).toEqual([]);
	});
});

test("an intent is bound to its input, too", async () => {
	const { sender, posts } = createWorld();
	await sender.prepare(KEY, TEXT);
	await sender.prepare(KEY, TEXT);
	for (const write of [sender.prepare, sender.send])
		expect(await codeOf(write(KEY, { ...TEXT, text: "Something else" }))).toBe("key_reused");
	expect(posts()).toEqual([]);
	expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
});

test("the order of fields and `undefined` make no other input", async () => {
	const { sender } = createWorld();
	await sender.send(KEY, TEXT);
	const { to, text } = TEXT;
	expect(await sender.send(KEY, { text, to, from: undefined })).toMatchObject({ status: "accepted" });
});

test("a secret in rotation still knows its inputs; another one fails closed", async () => {
	const { sender, createProcess, posts } = createWorld();
	await sender.send(KEY, TEXT);
	const rotated = createProcess({ digestSecret: ["a new secret", DIGEST_SECRET] });
	expect(await rotated.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	const other = createProcess({ digestSecret: "a new secret" });
	expect(await codeOf(other.send(KEY, TEXT))).toBe("key_reused");
	expect(posts()).toHaveLength(1);
});

describe("a refusal", () => {
	test("by a window comes back with retryAfterMs and leaves the key open", async () => {
		const { sender, clock, local } = createWorld({ rules: "on" });
		await sender.send("first", TEXT);
		const error = await catchRejection(sender.send("second", TEXT));
		expect(error).toBeInstanceOf(DuplicateMessageError);
		const { retryAfterMs } = error as DuplicateMessageError;
		expect(retryAfterMs).toBe(300_000);
		await clock.advance(retryAfterMs ?? 0);
		expect(await sender.send("second", TEXT)).toMatchObject({ status: "accepted" });
		expect(local.sent).toHaveLength(2);
	});

	test("by a limit, too", async () => {
		const { sender, local } = createWorld();
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		const error = await catchRejection(sender.send(KEY, TEXT));
		expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 7_000, attempts: 1 });
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	});

	test("many of them do not let the record grow", async () => {
		const { sender, local, store } = createWorld();
		const sizes: number[] = [];
		for (let at = 0; at < 9; at++) {
			local.faults.respond({ status: 400 });
			await catchRejection(sender.send(KEY, TEXT));
			sizes.push((await store.read(KEY)).row?.data.length ?? 0);
		}
		expect(sizes.at(-1)).toBe(sizes[0]);
	});

	test("a connection that was refused leaves the key open", async () => {
		const { sender, createProcess } = createWorld();
		const refused = createProcess({ fetch: () => Promise.reject(networkError("ECONNREFUSED")) });
		expect(await catchRejection(refused.send(KEY, TEXT))).toMatchObject({ outcome: "not_sent" });
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	});
});

describe("an unknown outcome", () => {
	test.each(["before", "after"] as const)(
		"is unresolved if the connection breaks %s acceptance",
		async (when) => {
			const { sender, createProcess, local, posts } = createWorld();
			local.faults.dropConnection({ when });
			const result = await sender.send(KEY, TEXT);
			expect(result).toMatchObject({
				status: "unresolved",
				evidence: {
					attempts: [{ outcome: "unknown", errorCode: "connection_failed", hasCallback: true }],
					sendAgainAfterMs: 600_000,
				},
			});
			expect(await createProcess().send(KEY, TEXT)).toEqual(result);
			expect(posts()).toHaveLength(1);
		},
	);

	test("shows what the mapping had, as a hint", async () => {
		const { sender, local } = createWorld({ rules: "on" });
		local.faults.dropConnection({ when: "after" });
		const result = await sender.send(KEY, TEXT);
		expect(result).toMatchObject({
			status: "unresolved",
			evidence: { attempts: [{ mapping: { outbound: 1, inbound: 0, hasEqualSignatures: true } }] },
		});
	});

	test("of a login page is one too; accepted data that cannot be used is accepted", async () => {
		const { sender, local } = createWorld();
		local.faults.corrupt({ as: "html" });
		expect(await sender.send("a", TEXT)).toMatchObject({ status: "unresolved" });
		local.faults.respond({ status: 202, body: { ok: true, data: 7 } });
		expect(await sender.send("b", TEXT)).toMatchObject({ status: "accepted", messageId: undefined });
	});
});

describe("an outage of 503s in the gateway's envelope", () => {
	const OUTAGE = { status: 503, times: Number.POSITIVE_INFINITY } as const;

	test("makes one attempt for a key, however often it is sent", async () => {
		const { sender, local, posts } = createWorld();
		local.faults.respond(OUTAGE);
		for (let at = 0; at < 3; at++)
			expect(await sender.send(KEY, TEXT)).toMatchObject({
				status: "unresolved",
				evidence: { attempts: [{ outcome: "unknown", errorCode: "server_error", httpStatus: 503 }] },
			});
		expect(posts()).toHaveLength(1);
	});

	test("is counted by onUnresolved, once for each attempt, even if it fails", async () => {
		const unresolved: object[] = [];
		const onUnresolved: SenderOptions["onUnresolved"] = async (send) => {
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

	test("leaves keys open if the profile names its code", async () => {
		const { sender, local } = createWorld({ profile: { rejectionCodes: ["SERVICE_UNAVAILABLE"] } });
		local.faults.respond({ status: 503 });
		expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({ status: 503, outcome: "rejected" });
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	});
});

describe("an aborted send", () => {
	test("rejects with the reason before anything is written", async () => {
		const { sender, store } = createWorld();
		const reason = new Error("stop");
		expect(await catchRejection(sender.send(KEY, TEXT, { signal: AbortSignal.abort(reason) }))).toBe(reason);
		expect((await store.read(KEY)).row).toBeUndefined();
	});

	test("is unresolved once it was under way, even if the reason claims that nothing was sent", async () => {
		const { sender, local, posts, createProcess } = createWorld();
		const controller = new AbortController();
		local.faults.dropConnection({ when: "before" });
		const notSent = catchError(() => new MessagingGateway({ baseUrl: "no" }));
		expect(isMessagingGatewayError(notSent) && "outcome" in notSent && notSent.outcome).toBe("not_sent");
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
});

describe("checks before anything is written", () => {
	test.each([
		["an empty key", "", TEXT],
		["a key with a blank", "a b", TEXT],
		["a long key", "k".repeat(257), TEXT],
		["an invalid number", KEY, { to: "5559998877", text: "x" }],
		["an empty text", KEY, { to: TO, text: "" }],
		["no target", KEY, { text: "x" }],
		["a callback of its own", KEY, { ...TEXT, statusCallback: "https://app.example/x" }],
		["null", KEY, null],
		["a text with a lone surrogate", KEY, { to: TO, text: "\ud800" }],
	])("%s", async (_name, key, input) => {
		const { sender, store, posts } = createWorld();
		const error = await catchRejection(sender.send(key, input as never));
		expect(isMessagingGatewayError(error)).toBe(true);
		for (const shown of [String(error), inspect(error), JSON.stringify(error)]) {
			expect(shown).not.toContain("5559998877");
			expect(shown).not.toContain(TEXT.text);
		}
		expect((await store.list({ state: "open", limit: 9 })).rows).toEqual([]);
		expect(posts()).toEqual([]);
	});

	test("options of the send", async () => {
		const { sender, store } = createWorld();
		const send = (options: object) => catchRejection(sender.send(KEY, TEXT, options));
		expect(await send({ timeoutMS: 3 })).toMatchObject({ code: "configuration" });
		expect(await send({ timeoutMs: 0 })).toMatchObject({ code: "configuration" });
		expect((await store.read(KEY)).row).toBeUndefined();
	});

	test("headers that cannot be sent: the key stays open", async () => {
		const { sender, posts } = createWorld();
		const sent = sender.send(KEY, TEXT, { headers: { Authorization: "x" } });
		expect(await codeOf(sent)).toBe("configuration");
		expect(posts()).toEqual([]);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	});

	test("a callback without its token", async () => {
		const { createProcess, store } = createWorld();
		const sender = createProcess({ statusCallback: () => "https://app.example/all" });
		expect(await codeOf(sender.send(KEY, TEXT))).toBe("configuration");
		expect((await store.read(KEY)).row).toBeUndefined();
	});
});

test("invalid options are configuration errors", () => {
	const gateway = new MessagingGateway();
	const store = memorySendStore();
	const good = { gateway, store, digestSecret: "a secret" };
	createSender(good);
	for (const bad of [
		{ ...good, gateway: {} },
		{ ...good, gateway: undefined },
		{ ...good, store: undefined },
		{ ...good, store: { ...store, find: 1 } },
		{ ...good, leaseMs: 0 },
		{ ...good, digestSecret: " " },
		{ ...good, digestSecret: [] },
		{ ...good, statusCallback: "https://app.example" },
		{ ...good, keepInput: "yes" },
		{ ...good, leaseMS: 5 },
		undefined,
	]) {
		expect(catchError(() => createSender(bad as never))).toMatchObject({ code: "configuration" });
	}
});

test("the store holds neither number nor text, nor the key in an error; with keepInput the input is listed", async () => {
	const { sender, store, createProcess, local } = createWorld();
	local.faults.dropConnection({ when: "after" });
	await sender.send("welcome-+15551234567", TEXT);
	const { row } = await store.read("welcome-+15551234567");
	expect(row?.data).toMatch(/"digest":"[0-9a-f]{64}"/);
	expect(row?.data).not.toContain("5551234567");
	expect(row?.data).not.toContain("On its way");
	const error = (await catchRejection(resolveSend(store, "welcome-+15551234567", "send_again"))) as SendError;
	for (const shown of [String(error), inspect(error), JSON.stringify(error)])
		expect(shown).not.toContain("555123");
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
