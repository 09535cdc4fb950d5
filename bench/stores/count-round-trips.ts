import { createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, type WebhookHandler } from "messaging-gateway/webhooks";
import { newEventId } from "./keys.ts";
import type { RoundTrips } from "./record.ts";
import type { Subject } from "./subject.ts";

/** The secret of {@link createWebhookRequest}. */
const SECRET = "local-webhook-secret";

/** Enough for the sweeps to show, of which there is one for every 50 rows. */
const DELIVERIES = 100;

/** Counts the calls of a delivery, which a real webhook handler receives. */
export async function countRoundTrips({ store, reset, countCalls }: Subject): Promise<RoundTrips> {
	await reset();
	let hold = Promise.resolve();
	let whenRunning = () => {};
	const options = {
		secret: SECRET,
		store,
		on: {
			inbound_message: () => {
				whenRunning();
				return hold;
			},
			unknown: () => undefined,
		},
	};
	const webhooks = createWebhookHandler(options);
	const unbound = createWebhookHandler({ ...options, bindDelivery: false });
	const eventIds = Array.from({ length: DELIVERIES }, newEventId);

	const first = await countCalls(() => deliverEach(webhooks, eventIds, 200));
	const repeatOfDone = await countCalls(() => deliverEach(webhooks, eventIds, 200));
	const others = Array.from({ length: DELIVERIES }, newEventId);
	const firstWithoutBinding = await countCalls(() => deliverEach(unbound, others, 200));

	const inFlight = newEventId();
	const { promise: isRunning, resolve: markRunning } = Promise.withResolvers<void>();
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	whenRunning = markRunning;
	hold = released;
	const running = deliver(webhooks, inFlight, 200);
	await isRunning;
	const repeats = Array.from({ length: DELIVERIES }, () => inFlight);
	const repeatInFlight = await countCalls(() => deliverEach(webhooks, repeats, 503));
	release();
	await running;
	await reset();
	return {
		first: first / DELIVERIES,
		firstWithoutBinding: firstWithoutBinding / DELIVERIES,
		repeatOfDone: repeatOfDone / DELIVERIES,
		repeatInFlight: repeatInFlight / DELIVERIES,
	};
}

async function deliverEach(
	webhooks: WebhookHandler,
	eventIds: readonly string[],
	expected: number,
): Promise<void> {
	for (const eventId of eventIds) await deliver(webhooks, eventId, expected);
}

/** The text contains the id as well: equal payloads of the same second would have the same signature. */
async function deliver(webhooks: WebhookHandler, eventId: string, expected: number): Promise<void> {
	const request = createWebhookRequest("inbound_message", { text: eventId }, { eventId });
	const { status } = await webhooks.fetch(request);
	if (status !== expected) throw new Error(`a delivery got ${status} instead of ${expected}`);
}
