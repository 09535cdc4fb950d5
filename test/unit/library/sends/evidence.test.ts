import { MessagingGateway } from "messaging-gateway";
import { createSender, listSends, observeSend, resolveSend, type SendInput } from "messaging-gateway/sends";
import { createWebhookRequest } from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { catchRejection, codeOf } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { createWorld, KEY, replaceOnce, stoppedClock, TEXT, type WorldOptions } from "./sender-world.ts";

const MINUTE = 60_000;

/** A send whose response was lost after it was accepted. */
async function loseResponse(world: ReturnType<typeof createWorld>, key = KEY) {
	world.local.faults.dropConnection({ when: "after", operationId: "messages.sendText" });
	expect(await world.sender.send(key, TEXT)).toMatchObject({ status: "unresolved" });
}

/** The world of such a send, and the first status event of it. */
async function createLost(options?: WorldOptions) {
	const world = createWorld(options);
	await loseResponse(world);
	await world.local.settled();
	const [event] = world.events;
	if (event?.kind !== "status") throw new Error("expected a status event");
	return { ...world, event };
}

describe("a status event", () => {
	test("by the attempt's own status_callback proves acceptance", async () => {
		const world = await createLost();
		const messageId = world.local.sent[0]?.messageId;
		const accepted = { status: "accepted", proof: "status", messageId };
		expect(await observeSend(world.store, world.event)).toEqual({ key: KEY, verdict: accepted });
		expect(await world.sender.send(KEY, TEXT)).toEqual({ ...accepted, message: undefined });
		expect(world.posts()).toHaveLength(1);
	});

	test("proves it even if it is `failed`, or of a status that nobody knows", async () => {
		for (const status of ["failed", "a new status"]) {
			const world = await createLost();
			const { event } = world;
			await observeSend(world.store, { ...event, data: { ...event.data, status } });
			expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "status" });
		}
	});

	test("proves it although another field is not as documented", async () => {
		const world = await createLost();
		const { data, timestamp } = world.event;
		const request = createWebhookRequest("status", { ...data, participants: 5 as never }, { timestamp });
		const odd = await verifyWebhookRequest(request, { secret: "local-webhook-secret", clock: world.clock });
		expect(odd.kind).toBe("unknown");
		expect(await observeSend(world.store, odd)).toMatchObject({ key: KEY, verdict: { status: "accepted" } });
	});

	test("may come before the response is lost", async () => {
		const { createProcess, local, store, events } = createWorld();
		const early = createProcess({
			fetch: async (url, init) => {
				await local.clientOptions.fetch(url, init);
				await local.settled();
				for (const event of events) await observeSend(store, event);
				throw new TypeError("fetch failed");
			},
		});
		expect(await early.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "status" });
	});

	test("of a send that was given up still proves it; and one after a decision to send again, too", async () => {
		const world = await createLost();
		await resolveSend(world.store, KEY, "give_up");
		for (const event of world.events) await observeSend(world.store, event);
		expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "status" });
	});

	test("by the first attempt's callback counts after send_again", async () => {
		const world = await createLost();
		await world.clock.advance(10 * MINUTE);
		expect(await resolveSend(world.store, KEY, "send_again")).toEqual({ status: "open" });
		for (const event of world.events) await observeSend(world.store, event);
		expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "status" });
		expect(world.posts()).toHaveLength(1);
	});

	test("of somebody else's message, of no callback, or of another kind is not ours", async () => {
		const world = await createLost();
		const { event } = world;
		const url = event.data.status_callback ?? "";
		const to = (status_callback: string | null) => ({ ...event, data: { ...event.data, status_callback } });
		const others: WebhookEvent[] = [
			to(null),
			to("https://app.example/hooks/all"),
			// Of our record, but of none of its attempts; of an attempt of another record.
			to(`${url.slice(0, -4)}0000`),
			to(url.replace(/send_..../, "send_0000")),
			{
				...event,
				kind: "unknown",
				reason: "type",
				type: "x",
				issues: [],
				issueCount: 0,
				narrowed: undefined,
				data: { ...event.data },
			},
		];
		for (const other of others) expect(await observeSend(world.store, other)).toBeUndefined();
		expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	});

	test("is not lost if the store fails: observe rejects", async () => {
		const world = await createLost();
		const down = { ...world.store, find: () => Promise.reject(new Error("down")) };
		const [event] = world.events;
		if (event === undefined) throw new Error("expected an event");
		expect(await codeOf(observeSend(down, world.event))).toBe("store_failed");
	});

	test("is written once: further ones change nothing", async () => {
		const world = await createLost();
		expect(world.events.length).toBeGreaterThan(1);
		for (const event of world.events) await observeSend(world.store, event);
		const { row } = await world.store.read(KEY);
		for (const event of world.events) await observeSend(world.store, event);
		expect((await world.store.read(KEY)).row).toEqual(row);
	});
});

describe("what is no proof", () => {
	test("a 409 to a second attempt leaves the first one what it was", async () => {
		const world = await createLost({ rules: { duplicateWindowSeconds: { contact: 3_600 } } });
		await world.clock.advance(10 * MINUTE);
		await resolveSend(world.store, KEY, "send_again");
		const error = await catchRejection(world.sender.send(KEY, TEXT));
		expect(error).toMatchObject({ code: "duplicate_message" });
		expect(await collect(listSends(world.store, { status: "accepted" }))).toEqual([]);
	});

	test("a 409 for another key with the same text says nothing of that key: it is open", async () => {
		const world = createWorld({ rules: "on" });
		await world.sender.send("a", TEXT);
		expect(await codeOf(world.sender.send("b", TEXT))).toBe("duplicate_message");
		const open = await collect(listSends(world.store, { status: "open" }));
		expect(open.map(({ key }) => key)).toEqual(["b"]);
	});
});

describe("resolve", () => {
	test("`accepted` and `give_up` end an unresolved send", async () => {
		for (const decision of ["accepted", "give_up"] as const) {
			const world = await createLost();
			const status = decision === "accepted" ? "accepted" : "given_up";
			expect(await resolveSend(world.store, KEY, decision)).toMatchObject({ status });
			expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status });
			expect(world.posts()).toHaveLength(1);
		}
	});

	test("`send_again` is refused until ten minutes after the last signing", async () => {
		const world = createWorld();
		await loseResponse(world);
		expect(await catchRejection(resolveSend(world.store, KEY, "send_again"))).toMatchObject({
			code: "too_early",
			retryAfterMs: 10 * MINUTE,
		});
		await world.clock.advance(10 * MINUTE - 1);
		expect(await catchRejection(resolveSend(world.store, KEY, "send_again"))).toMatchObject({
			retryAfterMs: 1,
		});
		await world.clock.advance(1);
		expect(await resolveSend(world.store, KEY, "send_again")).toEqual({ status: "open" });
		expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
		expect(world.posts()).toHaveLength(2);
	});

	test("a detour over give_up or accepted does not shorten the ten minutes", async () => {
		const world = await createLost();
		for (const decision of ["give_up", "accepted"] as const) {
			await resolveSend(world.store, KEY, decision);
			expect(await codeOf(resolveSend(world.store, KEY, "send_again"))).toBe("too_early");
		}
	});

	test("after a crash they count from the end of the lease", async () => {
		const world = createWorld();
		const dying = replaceOnce(world.store, 1, async (replace) => {
			await replace();
			return new Promise<never>(() => undefined);
		});
		void world.createProcess({ store: dying, clock: stoppedClock(world.clock) }).send(KEY, TEXT);
		await world.clock.advance(0);
		expect(await codeOf(resolveSend(world.store, KEY, "give_up"))).toBe("send_in_progress");
		await world.clock.advance(MINUTE);
		expect(await catchRejection(resolveSend(world.store, KEY, "send_again"))).toMatchObject({
			code: "too_early",
			retryAfterMs: 10 * MINUTE,
		});
	});

	test("a POST that was held back is refused by the time that send_again is possible", async () => {
		const world = createWorld({ rules: "off" });
		let deliver = async (): Promise<number> => 0;
		const held = world.createProcess({
			fetch: async (url, init) => {
				deliver = async () => (await world.local.clientOptions.fetch(url, init)).status;
				throw new TypeError("fetch failed");
			},
		});
		expect(await held.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
		// Our clock is five minutes ahead: the gateway accepts the request for ten.
		world.local.faults.skewClock(-5 * MINUTE);
		await world.clock.advance(10 * MINUTE - 1);
		expect(await catchRejection(resolveSend(world.store, KEY, "send_again"))).toMatchObject({
			retryAfterMs: 1,
		});
		expect(world.local.sent).toHaveLength(0);
		await world.clock.advance(2);
		expect(await resolveSend(world.store, KEY, "send_again")).toEqual({ status: "open" });
		expect(await deliver()).toBe(401);
		world.local.faults.clear();
		await world.sender.send(KEY, TEXT);
		expect(world.local.sent).toHaveLength(1);
	});

	test("what is proven stays, and an unknown key is an error", async () => {
		const world = createWorld();
		await world.sender.send(KEY, TEXT);
		await world.clock.advance(10 * MINUTE);
		for (const decision of ["send_again", "give_up", "accepted"] as const)
			expect(await resolveSend(world.store, KEY, decision)).toMatchObject({
				status: "accepted",
				proof: "response",
			});
		expect(await codeOf(resolveSend(world.store, "other", "give_up"))).toBe("unknown_key");
		expect(await codeOf(resolveSend(world.store, KEY, "forget" as never))).toBe("configuration");
	});

	test("an open send can be given up, and opened again", async () => {
		const world = createWorld();
		await world.sender.prepare(KEY, TEXT);
		expect(await resolveSend(world.store, KEY, "give_up")).toEqual({ status: "given_up" });
		expect(await world.sender.send(KEY, TEXT)).toEqual({ status: "given_up" });
		expect(world.posts()).toHaveLength(0);
		expect(await resolveSend(world.store, KEY, "send_again")).toEqual({ status: "open" });
		expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
	});

	test("a decision that comes while a worker claims the send stays, and nothing is sent", async () => {
		const { sender, createProcess, store, posts } = createWorld();
		await sender.prepare(KEY, TEXT);
		const overtaken = replaceOnce(store, 1, async (replace) => {
			await resolveSend(store, KEY, "give_up");
			return replace();
		});
		expect(await createProcess({ store: overtaken }).send(KEY, TEXT)).toEqual({ status: "given_up" });
		expect(posts()).toHaveLength(0);
	});
});

describe("list", () => {
	test("reads every page, and only the status that was asked for", async () => {
		const world = createWorld();
		for (let at = 0; at < 250; at++) await world.sender.prepare(`open-${at}`, TEXT);
		await world.sender.send("accepted", TEXT);
		await loseResponse(world, "lost");
		const keys = async (status: "open" | "unresolved" | "accepted" | "given_up") =>
			(await collect(listSends(world.store, { status }))).map(({ key }) => key);
		expect(new Set(await keys("open")).size).toBe(250);
		expect(await keys("accepted")).toEqual(["accepted"]);
		expect(await keys("unresolved")).toEqual(["lost"]);
		expect(await keys("given_up")).toEqual([]);
		const wrong = listSends(world.store, { status: "sent" as never });
		expect(await codeOf(collect(wrong))).toBe("configuration");
	});
});

test("a send that a worker is making is in no list", async () => {
	const { createProcess, store } = createWorld();
	const posted = Promise.withResolvers<void>();
	const making = createProcess({
		fetch: () => {
			posted.resolve();
			return new Promise<never>(() => undefined);
		},
	});
	void making.send(KEY, TEXT);
	await posted.promise;
	expect((await store.list({ state: "unresolved", limit: 9 })).rows).toHaveLength(1);
	for (const status of ["open", "unresolved", "accepted", "given_up"] as const)
		expect(await collect(listSends(store, { status }))).toEqual([]);
});

test("without callbacks everything holds, and more stays unresolved", async () => {
	const world = await createLost({ withoutCallbacks: true });
	for (const event of world.events) expect(await observeSend(world.store, event)).toBeUndefined();
	expect(await world.sender.send(KEY, TEXT)).toMatchObject({
		status: "unresolved",
		evidence: { attempts: [{ hasCallback: false }] },
	});
});

describe("a 401 without a reason", () => {
	const bare = { code: "UNAUTHORIZED", requestId: "r", message: "" };

	/** What a sender concludes if the POST is refused, and then the read that it makes. */
	async function refuseSend(
		read: "refused" | "accepted" | "not found" | "broken" | "forbidden",
		input: SendInput = TEXT,
	) {
		const world = createWorld();
		const { local, sender } = world;
		local.faults.respond({
			operationId: "messages.sendText",
			status: 401,
			body: { ok: false, error: bare },
		});
		if (read === "refused")
			local.faults.respond({ operationId: "mappings.get", status: 401, body: { ok: false, error: bare } });
		if (read === "broken") local.faults.dropConnection({ operationId: "mappings.get", when: "before" });
		if (read === "forbidden") local.faults.respond({ operationId: "mappings.get", status: 403 });
		if (read === "accepted") await local.contact(TEXT.to).reply("Hi");
		const result = await sender.send(KEY, input).catch((error: unknown) => error);
		return { result, paths: local.requests.map(({ method }) => method) };
	}

	test("to a group is decided by a read of any number, which is no hint", async () => {
		const group = { groupId: "group-1", text: "On its way" };
		const refused = await refuseSend("refused", group);
		expect(refused).toMatchObject({ result: { status: 401, outcome: "rejected" }, paths: ["POST", "GET"] });
		const { result, paths } = await refuseSend("accepted", group);
		expect(result).toMatchObject({ status: "unresolved", evidence: { attempts: [{ httpStatus: 401 }] } });
		expect(JSON.stringify(result)).not.toContain("mapping");
		expect(paths).toEqual(["POST", "GET"]);
	});

	test("is a rejection if a read is refused as well", async () => {
		const { result, paths } = await refuseSend("refused");
		expect(result).toMatchObject({ status: 401, outcome: "rejected" });
		expect(paths).toEqual(["POST", "GET"]);
	});

	test.each(["accepted", "not found", "broken", "forbidden"] as const)(
		"is none if a read is %s",
		async (read) => {
			const { result, paths } = await refuseSend(read);
			const mapping = read === "accepted" ? { inbound: 1, outbound: 0 } : undefined;
			const attempt = expect.objectContaining({
				httpStatus: 401,
				mapping: mapping && expect.objectContaining(mapping),
			});
			expect(result).toMatchObject({ status: "unresolved", evidence: { attempts: [attempt] } });
			expect(paths).toEqual(["POST", "GET"]);
		},
	);

	test("of a secret that was rotated is a rejection, and the next send has the other secret", async () => {
		const secrets = ["old-secret", "local-app-secret"];
		const world = createWorld();
		const { local } = world;
		const gateway = new MessagingGateway({
			...local.clientOptions,
			appSecret: () => secrets.shift() ?? "none",
			logLevel: "off",
			fetch: async (url, init) => {
				const response = await local.clientOptions.fetch(url, init);
				if (response.status !== 401) return response;
				return Response.json({ ok: false, error: bare }, { status: 401 });
			},
		});
		const sender = createSender({ gateway, store: world.store, digestSecret: "a secret" });
		expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({ status: 401, outcome: "rejected" });
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
		expect(local.sent).toHaveLength(1);
	});
});

test("the refusal of a copy leaves a send unresolved, and its status proves it", async () => {
	const world = createWorld();
	world.local.faults.repeatRequest();
	expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	// The read is that of the mapping.
	expect(world.local.requests.map(({ status }) => status)).toEqual([202, 401, 200]);
	expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	await world.local.settled();
	for (const event of world.events) await observeSend(world.store, event);
	expect(await world.sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "status" });
	expect(world.local.sent).toHaveLength(1);
});
