import { startRedis } from "../../test/support/servers/redis-server.ts";
import { type Contender, type OpenCases, prove, type Role } from "../cases.ts";
import { newEventId } from "../inputs.ts";
import { openReceiver } from "./start.ts";

const IN_FLIGHT = 32;

/** Deliveries over HTTP to a receiver in a process of its own, each with a new event. */
export const openReceivers: OpenCases = async function* (atEnd) {
	const redis = await startRedis();
	atEnd(() => redis[Symbol.asyncDispose]());

	async function open(
		name: string,
		role: Role,
		route: Parameters<typeof openReceiver>[0]["route"],
	): Promise<Contender> {
		const settings = { route, storeUrl: redis.url, connections: IN_FLIGHT };
		const { deliver, countProcessed } = await openReceiver(settings, atEnd);
		let delivered = 0;
		async function run(eventId = newEventId()): Promise<void> {
			const status = await deliver(eventId);
			if (status !== 200) throw new Error(`${name}: a delivery got ${status}`);
			delivered++;
		}

		const repeated = newEventId();
		await run(repeated);
		await run(repeated);
		// The HMAC alone does not know a repeat.
		if (route !== "HMAC") delivered--;
		prove((await deliver(newEventId(), " ")) === 401, `${name} rejects another body`);
		atEnd(async () => {
			const processed = await countProcessed();
			prove(processed === delivered, `${name} processed ${processed} of ${delivered} events`);
		});
		return { name, role, run: () => run() };
	}

	yield {
		name: `1 kB, ${IN_FLIGHT} in flight`,
		concurrency: IN_FLIGHT,
		// More than usual, since three processes share the machine.
		rounds: 25,
		isWaitCounted: true,
		contenders: [
			await open("createWebhookHandler, Redis store", "ours", "webhook handler"),
			await open("createHmac, SET NX PX, SET XX PX", "peer", "HMAC, SET and SET"),
			await open("createHmac alone", "floor", "HMAC"),
		],
	};
};
