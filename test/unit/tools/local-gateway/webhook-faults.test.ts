import { createWebhookHandler, memoryStore, verifyWebhook } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { ALICE, createFrozenGateway, sendText } from "../../../support/signed-client.ts";
import { statusIn } from "./receiving-gateway.ts";

/** A receiver that verifies, and responds accordingly. */
function createVerifyingGateway() {
	const received: { readonly verdict: string; readonly body: string }[] = [];
	const local = createFrozenGateway({
		async deliverTo(request) {
			const { headers } = request;
			const body = await request.text();
			try {
				const { clock, webhookSecret: secret } = local;
				received.push({ body, verdict: verifyWebhook({ body, headers }, { secret, clock }).eventId });
				return new Response();
			} catch (error) {
				received.push({ body, verdict: (error as { code: string }).code });
				return new Response(null, { status: 401 });
			}
		},
	});
	const receive = async (texts = ["Hi"]) => {
		for (const text of texts) await local.contact(ALICE).reply(text);
		await local.settled();
	};
	return { local, received, receive, startMs: local.clock.now() };
}

test.each([
	["tamper", "signature_mismatch"],
	["wrongSignature", "signature_mismatch"],
	["stale", "timestamp_out_of_tolerance"],
] as const)("%s: rejected, then delivered by the retry", async (fault, code) => {
	const { local, received, receive } = createVerifyingGateway();
	local.faults.webhooks[fault]({ times: 2 });
	await receive(["Hi 1"]);
	const [delivery] = local.deliveries;
	expect(received.map(({ verdict }) => verdict)).toEqual([code, code, delivery?.eventId]);
	expect(delivery?.state).toBe("delivered");
	expect(received[0]?.body === received[2]?.body).toBe(fault !== "tamper");
});

test("stale: older than any tolerance", async () => {
	const local = createFrozenGateway({ deliverTo: (request) => webhooks.fetch(request) });
	const { clock, webhookSecret: secret, faults } = local;
	const memory = memoryStore({ clock });
	const webhooks = createWebhookHandler({
		secret,
		clock,
		toleranceSeconds: 86_400,
		store: { ...memory, claim: (...given) => memory.claim(...given) },
		on: { unknown: () => undefined },
		onError: () => undefined,
	});
	faults.webhooks.stale();
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([401, 200]);
});

test("repeat: with the same event id", async () => {
	const { local, received, receive } = createVerifyingGateway();
	local.faults.webhooks.repeat({ times: 2 });
	await receive(["Hi", "Ho"]);
	const timesOf = (eventId: string) => received.filter(({ verdict }) => verdict === eventId).length;
	expect(local.deliveries.map(({ eventId }) => timesOf(eventId))).toEqual([3, 1]);
	expect(local.deliveries[0]?.attempts).toHaveLength(3);
});

/** A receiver whose handler waits until it is told to end, with what arrived, when, and the responses. */
function createWaitingGateway() {
	const arrived: { readonly at: number; readonly bytes: string }[] = [];
	const responses: number[] = [];
	const ending = Promise.withResolvers<void>();
	const local = createFrozenGateway({
		async deliverTo(request) {
			const bytes = JSON.stringify([...request.headers]) + (await request.clone().text());
			arrived.push({ at: local.clock.now(), bytes });
			const response = await webhooks.fetch(request);
			responses.push(response.status);
			return response;
		},
	});
	const { clock, webhookSecret: secret } = local;
	const runs: string[] = [];
	const webhooks = createWebhookHandler({
		secret,
		clock,
		store: memoryStore({ clock }),
		on: {
			inbound_message({ eventId }) {
				runs.push(eventId);
				return ending.promise;
			},
			unknown: () => undefined,
		},
		onError: () => undefined,
	});
	return { local, arrived, responses, runs, ending };
}

test.each([
	["copy", [503, 200]],
	["first", [200]],
] as const)(
	"repeatAttempt: at once, byte for byte, with the response to the %s",
	async (response, statuses) => {
		const { local, arrived, responses, runs, ending } = createWaitingGateway();
		local.faults.webhooks.repeatAttempt({ response });
		await local.contact(ALICE).reply("Hi");
		await expect.poll(() => responses).toEqual([503]);
		expect(new Set(arrived.map(({ bytes }) => bytes)).size).toBe(1);
		ending.resolve();
		await local.settled();
		expect(responses.slice(0, 2)).toEqual([503, 200]);
		expect(runs).toHaveLength(1);
		expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual(statuses);
	},
);

test.each([
	["copy", 5_000, [0, 5_000], [200, 200], [200]],
	["first", 250_000, [0, 250_000], [200, 200], [200]],
	["first", 400_000, [0, 400_000], [200, 401], [200]],
	// The gateway gives up after ten seconds, and retries.
	["copy", 250_000, [0, 11_000, 250_000], [200, 200, 200], [undefined, 200]],
] as const)("repeatAttempt: with the response to the %s, %d ms later", async (...row) => {
	const [response, delayMs, times, expected, statuses] = row;
	const { local, arrived, responses, runs, ending } = createWaitingGateway();
	const startMs = local.clock.now();
	ending.resolve();
	local.faults.webhooks.repeatAttempt({ response, delayMs });
	await local.contact(ALICE).reply("Hi");
	await local.settled();
	expect(runs).toHaveLength(1);
	expect(arrived.map(({ at }) => at - startMs)).toEqual(times);
	expect(arrived.at(-1)?.bytes).toBe(arrived[0]?.bytes);
	expect(responses).toEqual(expected);
	expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual(statuses);
});

test("delay: late by the given time", async () => {
	const { local, receive, startMs } = createVerifyingGateway();
	local.faults.webhooks.delay(45_000);
	await receive();
	expect((local.deliveries[0]?.attempts[0]?.at ?? 0) - startMs).toBe(45_000);
});

test("outOfOrder: the first two of a message are swapped", async () => {
	const { local, received } = createVerifyingGateway();
	local.faults.webhooks.outOfOrder();
	await sendText(local, ALICE);
	await local.settled();
	expect(received.map(statusIn)).toEqual(["delivered", "sent", "read"]);
});

test("outOfOrder: one that stays alone comes late", async () => {
	const { local, received, receive, startMs } = createVerifyingGateway();
	local.faults.webhooks.outOfOrder();
	await receive();
	expect(received).toHaveLength(1);
	expect(local.clock.now() - startMs).toBe(60_000);
});

test("clear ends them", async () => {
	const { local, received, receive, startMs } = createVerifyingGateway();
	const { webhooks } = local.faults;
	for (const fault of ["tamper", "stale", "wrongSignature", "repeat", "repeatAttempt", "outOfOrder"] as const)
		webhooks[fault]();
	webhooks.delay(1_000);
	local.faults.clear();
	await receive();
	expect(received.map(({ verdict }) => verdict)).toEqual([local.deliveries[0]?.eventId]);
	expect(local.clock.now()).toBe(startMs);
});
