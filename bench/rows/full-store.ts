import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { type Figures, type MeasuredContender, type OpenCases, prove, type Role } from "../cases.ts";
import {
	createPayload,
	createSteppingClock,
	newDigest,
	newEventId,
	SECRET,
	signDelivery,
} from "../inputs.ts";
import { FULL_STORE } from "../settings.ts";
import { processNewEvent } from "../stores/subject.ts";

const STEP_MS = 6;

/** When the bindings that fill a store end: each of them at another time, and in no order. */
const ENDS = {
	"a store with room": undefined,
	"full, old records expire": (at: number) => ((at * 7_919) % FULL_STORE.entries) * STEP_MS,
	"full, nothing expires": (at: number) => (at % 2 === 0 ? 300_000 : 600_000),
} as const;

/** A delivery to a handler whose store in memory is full: processed while as many bindings end, or rejected. */
export const openFullStore: OpenCases = async function* () {
	const payload = await createPayload(1_000);
	yield {
		name: "a delivery",
		contenders: [
			await openContender(payload, "full, old records expire", "ours"),
			await openContender(payload, "full, nothing expires", "ours", 503),
			await openContender(payload, "a store with room", "floor"),
		],
	};
};

async function openContender(
	payload: string,
	name: keyof typeof ENDS,
	role: Role,
	expected = 200,
): Promise<MeasuredContender> {
	const clock = createSteppingClock(STEP_MS);
	const store = memoryStore({ maxEntries: FULL_STORE.entries, clock });
	const endOf = ENDS[name];
	for (let at = 0; endOf !== undefined && at < FULL_STORE.entries; at++) {
		await processNewEvent(store, { digest: newDigest(), ttlMs: endOf(at) + STEP_MS });
	}
	const webhooks = createWebhookHandler({
		secret: SECRET,
		clock,
		store,
		on: { inbound_message: () => undefined, unknown: () => undefined },
		onError: () => undefined,
	});

	/** Only the deliveries count, and not their signatures. */
	async function measure(): Promise<Figures> {
		const deliveries = Array.from({ length: FULL_STORE.deliveries }, () =>
			signDelivery(payload, newEventId(), clock.now()),
		);
		const before = process.cpuUsage();
		for (const delivery of deliveries) {
			clock.step();
			const { status } = await webhooks.handle(delivery);
			prove(status === expected, `a delivery to a store that is ${name} gets ${expected}, and not ${status}`);
		}
		const { user, system } = process.cpuUsage(before);
		return { cost: ((user + system) * 1000) / deliveries.length };
	}
	return { name, role, measure };
}
