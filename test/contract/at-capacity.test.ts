/** What a full structure does must not take longer the more it holds: it is full exactly when there is most to do. */
import { createMemoryState } from "@chat-adapter/state-memory";
import { memoryNonceStore } from "messaging-gateway/signing";
import { memoryStore, verifySignature } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { Threads } from "../../src/library/chat/threads.ts";
import { ChangeFeed } from "../../src/tools/local-gateway/change-feed.ts";
import { KeptAttachments } from "../../src/tools/local-gateway/kept-attachments.ts";
import { Traffic } from "../../src/tools/local-gateway/traffic.ts";
import { fixedClock } from "../support/fixed-clock.ts";
import { createFrozenGateway, sendText } from "../support/signed-client.ts";
import { deliver, receiver, webhookSignature } from "../support/webhook-delivery.ts";
import { countSteps } from "./count-steps.ts";

/** A full structure, and one more step of its work; the clock moves by 1 ms for each. */
interface Subject {
	readonly fill: (capacity: number) => Promise<(at: number) => unknown> | ((at: number) => unknown);
}

const MINUTE_MS = 60_000;
const ignore = () => undefined;

const SUBJECTS: Readonly<Record<string, Subject["fill"]>> = {
	"bindings of mixed lifetimes": async (capacity) => {
		const clock = fixedClock(0);
		const store = memoryStore({ maxEntries: capacity, clock });
		const bind = async (at: number) => {
			clock.nowMs++;
			const ttlMs = at % 2 === 0 ? 10 * MINUTE_MS : 5 * MINUTE_MS;
			await store
				.claim(`evt_${at}`, { leaseMs: 1, retentionMs: 1 }, { digest: `${at}`, ttlMs })
				.catch(ignore);
		};
		for (let at = 0; at < capacity; at++) await bind(at);
		return (at) => bind(capacity + at);
	},
	"bindings of which some are over": async (capacity) => {
		const clock = fixedClock(0);
		const store = memoryStore({ maxEntries: capacity, clock });
		const bind = (at: number, ttlMs: number) =>
			store.claim(`evt_${at}`, { leaseMs: 1, retentionMs: 1 }, { digest: `${at}`, ttlMs });
		for (let at = 0; at < capacity; at++) await bind(at, at < capacity / 2 ? MINUTE_MS : 1);
		clock.nowMs = 2;
		return (at) => bind(capacity + at, MINUTE_MS);
	},
	"events under leases of which some are over": async (capacity) => {
		const clock = fixedClock(0);
		const store = memoryStore({ maxEntries: capacity, clock });
		const hold = (at: number, leaseMs: number) =>
			store.claim(`evt_${at}`, { leaseMs, retentionMs: 10 * MINUTE_MS });
		for (let at = 0; at < capacity; at++) await hold(at, at < capacity / 2 ? MINUTE_MS : 1);
		clock.nowMs = 2;
		return (at) => hold(capacity + at, MINUTE_MS);
	},
	"events that are done": async (capacity) => {
		const store = memoryStore({ maxEntries: capacity, clock: fixedClock(0) });
		const process = async (at: number) => {
			const claim = await store.claim(`evt_${at}`, { leaseMs: MINUTE_MS, retentionMs: 10 * MINUTE_MS });
			if (claim.status === "acquired") await store.complete(`evt_${at}`, claim.token, 10 * MINUTE_MS);
		};
		for (let at = 0; at < capacity; at++) await process(at);
		return (at) => process(capacity + at);
	},
	nonces: async (capacity) => {
		const clock = fixedClock(0);
		const store = memoryNonceStore({ maxEntries: capacity, clock });
		for (let at = 0; at < capacity; at++) await store.remember(`${at}`, MINUTE_MS);
		return (at) => store.remember(`more ${at}`, MINUTE_MS).catch(ignore);
	},
	"nonces that are over": async (capacity) => {
		const clock = fixedClock(0);
		const store = memoryNonceStore({ maxEntries: capacity, clock });
		for (let at = 0; at < capacity; at++) await store.remember(`${at}`, MINUTE_MS);
		clock.nowMs = 10 * MINUTE_MS;
		return (at) => store.remember(`more ${at}`, MINUTE_MS);
	},
	"keys of secrets": (capacity) => {
		const verify = (at: number) => {
			const secret = `secret ${at}`;
			const headers = { "x-svc-signature": `v1=${webhookSignature("{}", secret)}` };
			return verifySignature(deliver("{}", headers), { ...receiver(), secret });
		};
		for (let at = 0; at < capacity; at++) verify(at);
		return (at) => verify(capacity + at);
	},
	"ids of threads": async (capacity) => {
		const state = createMemoryState();
		await state.connect();
		const threads = new Threads("gateway");
		const keep = (at: number) => {
			const target = { to: `+1555${at}` };
			return threads.keep(threads.idOf(target), target, state);
		};
		for (let at = 0; at < 10_000 + capacity; at++) await keep(at);
		return (at) => keep(20_000 + capacity + at);
	},
	"requests of the local gateway": (capacity) => {
		const traffic = new Traffic(capacity);
		const record = (at: number) =>
			traffic.record({ method: "GET", path: "/", query: "", headers: {}, body: "{}", at });
		for (let at = 0; at < capacity; at++) record(at);
		return (at) => record(capacity + at);
	},
	"attachments of the local gateway": (capacity) => {
		const kept = new KeptAttachments(true, new ChangeFeed(), 3 * capacity);
		const keep = (at: number) => kept.keepAll(`${at}`, [{ name: "a", mimeType: "image/png", data: "AAAA" }]);
		for (let at = 0; at < capacity; at++) keep(at);
		return (at) => keep(capacity + at);
	},
	"messages, chats and windows of the local gateway": async (capacity) => {
		const local = createFrozenGateway({ maxEntries: capacity, deliverTo: () => new Response() });
		const send = async (at: number) => {
			await sendText(local, `+1555${1_000_000 + at}`, `Hello ${at}`);
			await local.settled();
		};
		for (let at = 0; at < capacity; at++) await send(at);
		return (at) => send(capacity + at);
	},
};

/** The most that a step of a structure looks at, when it is full. */
async function mostSteps(fill: Subject["fill"], capacity: number): Promise<number> {
	const step = await fill(capacity);
	let most = 0;
	for (let at = 0; at < 20; at++) most = Math.max(most, await countSteps(() => step(at)));
	return most;
}

describe("when it is full, a step looks at no more entries, however many there are:", () => {
	test.each(Object.entries(SUBJECTS))("%s", async (_name, fill) => {
		// A walk over all of them would look at four times as many. One step differs by chance: the local gateway's ids do.
		expect(await mostSteps(fill, 200)).toBeLessThan(1.5 * (await mostSteps(fill, 50)) + 10);
	});
});

test("a walk over all entries is counted", async () => {
	const entries = new Map([..."abc"].map((key) => [key, key]));
	expect(await countSteps(() => [...entries.values()])).toBe(4);
	expect(await countSteps(() => [..."abc"].indexOf("b"))).toBe(3);
});
