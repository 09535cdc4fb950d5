import { ApiError, type Clock, MessagingGateway, RateLimitError } from "messaging-gateway";
import {
	createSender,
	memorySendStore,
	observeSend,
	resolveSend,
	type SendStore,
} from "messaging-gateway/sends";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGatewayOptions,
	readings,
} from "messaging-gateway/testing";
import { verifyWebhookRequest } from "messaging-gateway/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { eventually } from "../support/eventually.ts";
import { AGENT, ALICE, BOB } from "../support/signed-client.ts";
import { dieAt, stoppedClock } from "../unit/library/sends/sender-world.ts";

const LEASE_MS = 60_000;
/** What a duplicate window or a limit may take to end. */
const WINDOW_MS = 10 * 60_000;

/** A message for each key; the last two have equal texts, for one contact and for another. */
const SENDS = {
	first: { to: ALICE, text: "Order 1 is on its way" },
	second: { to: BOB, text: "Order 2 is on its way" },
	repeated: { to: ALICE, text: "Hello" },
	elsewhere: { to: BOB, text: "Hello" },
} as const;

type Key = keyof typeof SENDS;

const KEYS = Object.keys(SENDS) as Key[];

/** A gateway under a reading, and senders as processes of an application would have them. */
function createWorld(options: LocalGatewayOptions, { hasCallbacks = true } = {}) {
	const clock = createAdjustableClock({ frozen: true, startMs: 1_767_225_600_000 });
	const store = memorySendStore({ clock });
	const { profile } = options;
	const local = createLocalGateway({
		...options,
		clock,
		deliverTo: async (request) => {
			const event = await verifyWebhookRequest(request, { secret: local.webhookSecret, clock, profile });
			await observeSend(store, event);
			return new Response(null, { status: 204 });
		},
	});
	onTestFinished(() => local.close());

	function createProcess(own: SendStore = store, ownClock: Clock = clock) {
		return createSender({
			gateway: new MessagingGateway({ ...local.clientOptions, clock: ownClock, logLevel: "off" }),
			store: own,
			digestSecret: "a secret for digests",
			leaseMs: LEASE_MS,
			statusCallback: hasCallbacks ? (token) => `https://app.example/hooks/${token}` : undefined,
		});
	}

	const sender = createProcess();
	/** Calls with a key as a queue does: after the time that a refusal names, a limited number of times. */
	async function work(key: Key): Promise<string> {
		for (let tries = 0; tries < 5; tries++) {
			try {
				return (await sender.send(key, SENDS[key])).status;
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				await clock.advance(error.retryAfterMs ?? WINDOW_MS);
			}
		}
		return "open";
	}

	/** How often the message of a key is on its way. */
	const timesSent = (key: Key): number =>
		local.sent.filter(({ to, text }) => to === SENDS[key].to && text === SENDS[key].text).length;

	return { local, clock, store, sender, createProcess, work, timesSent };
}

describe.each(readings)("$name", ({ name, options }) => {
	test("each key is sent once, however often it is called", async () => {
		const { local, work, timesSent } = createWorld(options);
		for (const key of [...KEYS, ...KEYS]) expect(await work(key), key).toBe("accepted");
		await local.settled();
		expect(KEYS.map(timesSent)).toEqual([1, 1, 1, 1]);
		for (const key of KEYS) expect(await work(key)).toBe("accepted");
		expect(local.sent).toHaveLength(4);
	});

	test("a lost response is proven by a status, and never sent again", async () => {
		const { local, sender, work, timesSent } = createWorld(options);
		local.faults.dropConnection({ when: "after", operationId: "messages.sendText" });
		expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
		await local.settled();
		expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "accepted", proof: "status" });
		expect(await work("second")).toBe("accepted");
		expect(timesSent("first")).toBe(1);
	});

	test.each(["before", "after"] as const)(
		"without callbacks a connection that broke %s the gateway stays unresolved until a decision",
		async (when) => {
			const { local, clock, store, sender, work, timesSent } = createWorld(options, { hasCallbacks: false });
			local.faults.dropConnection({ when, operationId: "messages.sendText" });
			const sent = when === "after" ? 1 : 0;
			for (let call = 0; call < 3; call++) {
				expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
				await local.settled();
			}
			expect(timesSent("first")).toBe(sent);
			expect(await catchRejection(resolveSend(store, "first", "send_again"))).toMatchObject({
				code: "too_early",
			});
			await clock.advance(WINDOW_MS);
			expect(await resolveSend(store, "first", "send_again")).toEqual({ status: "open" });
			expect(await work("first")).toBe("accepted");
			expect(timesSent("first")).toBe(sent + 1);
		},
	);

	test("a worker that died after its POST is proven by a status, and one that died before it is not", async () => {
		const { local, clock, store, sender, createProcess, timesSent } = createWorld(options);
		void createProcess(dieAt(store, "replace", 1, true), stoppedClock(clock)).send("first", SENDS.first);
		void createProcess(dieAt(store, "replace", 2, false), stoppedClock(clock)).send("second", SENDS.second);
		await eventually(() => expect(timesSent("second")).toBe(1));
		await local.settled();
		await clock.advance(LEASE_MS);
		expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
		expect(await sender.send("second", SENDS.second)).toMatchObject({ status: "accepted", proof: "status" });
		expect([timesSent("first"), timesSent("second")]).toEqual([0, 1]);
	});

	test("a 503 while no agent is online is unresolved, whether the message was queued or not", async () => {
		const { local, clock, store, sender, work, timesSent } = createWorld(options);
		local.agent(AGENT).goOffline();
		expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
		local.agent(AGENT).goOnline();
		await local.settled();
		if (name === "a 503 comes after a message was queued")
			expect(await work("first")).toBe("accepted"); // A status came by its callback.
		else {
			await clock.advance(WINDOW_MS);
			await resolveSend(store, "first", "send_again");
			expect(await work("first")).toBe("accepted");
		}
		expect(timesSent("first")).toBe(1);
	});

	test("a refusal leaves the key open, and is no proof for or against an earlier attempt", async () => {
		const { local, sender, work, timesSent } = createWorld(options, { hasCallbacks: false });
		local.faults.respond({ status: 429, retryAfterSeconds: 7 });
		const refused = await catchRejection(sender.send("first", SENDS.first));
		expect(refused).toBeInstanceOf(RateLimitError);
		expect(refused).toMatchObject({ outcome: "rejected", retryAfterMs: 7_000 });
		expect(timesSent("first")).toBe(0);
		expect(await work("first")).toBe("accepted");

		// A window that blocks this text for another key's sake proves nothing about it.
		local.faults.dropConnection({ when: "before", operationId: "messages.sendText" });
		expect(await sender.send("elsewhere", SENDS.elsewhere)).toMatchObject({ status: "unresolved" });
		expect(await work("repeated")).toBe("accepted");
		expect(await sender.send("elsewhere", SENDS.elsewhere)).toMatchObject({ status: "unresolved" });
		expect([timesSent("elsewhere"), timesSent("repeated")]).toEqual([0, 1]);
	});
});

test("a status event without its signed status_callback proves nothing", async () => {
	const { local, sender, timesSent } = createWorld({
		webhooks: { encode: ({ status_callback: _, ...payload }) => [payload] },
	});
	local.faults.dropConnection({ when: "after", operationId: "messages.sendText" });
	expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
	await local.settled();
	expect(local.deliveries.length).toBeGreaterThan(0);
	expect(await sender.send("first", SENDS.first)).toMatchObject({ status: "unresolved" });
	expect(timesSent("first")).toBe(1);
});
