import { signWebhook } from "messaging-gateway/webhooks";
import { Pool } from "undici";
import { startRedis } from "../../../test/support/servers/redis-server.ts";
import type { AtEnd } from "../../at-end.ts";
import { newEventId } from "../../stores/keys.ts";
import { createDelivery } from "../inputs.ts";
import { prove } from "../prove.ts";
import type { ReceiverSettings } from "../receiver.ts";
import { startReceiver } from "../start-receiver.ts";
import type { Contender, Role, SpeedTable } from "../table.ts";

const SECRET = "a-secret-of-32-characters-length";
const IN_FLIGHT = 32;

/** More than usual, since three processes share the machine. */
const ROUNDS = 25;

/** Deliveries over HTTP to a receiver in a process of its own, each with a new event. */
export const table: SpeedTable = {
	title: "A receiver: deliveries over HTTP",
	shows: "rate",
	async *openCases(atEnd) {
		const redis = await startRedis();
		atEnd(() => redis[Symbol.asyncDispose]());
		const { text } = await createDelivery(1_000);
		const start = (name: string, role: Role, route: ReceiverSettings["route"]) =>
			openReceiver({ name, role, text, atEnd }, { route, secret: SECRET, storeUrl: redis.url });
		yield {
			name: `1 kB, ${IN_FLIGHT} in flight`,
			concurrency: IN_FLIGHT,
			rounds: ROUNDS,
			isWaitCounted: true,
			contenders: [
				await start("createWebhookHandler, Redis store", "ours", "webhook handler"),
				await start("createHmac, SET NX PX, SET XX PX", "peer", "HMAC, SET and SET"),
				await start("createHmac alone", "floor", "HMAC"),
			],
		};
	},
};

/** What is measured, and the payload that each of its deliveries varies. */
interface Delivered {
	readonly name: string;
	readonly role: Role;
	readonly text: string;
	readonly atEnd: AtEnd;
}

async function openReceiver(
	{ name, role, text, atEnd }: Delivered,
	settings: ReceiverSettings,
): Promise<Contender> {
	const receiver = await startReceiver(settings);
	const pool = new Pool(receiver.url, { connections: IN_FLIGHT });
	let delivered = 0;

	/** The text holds the id as well, since equal bodies of one second are one delivery. */
	async function deliver(eventId: string, change = (body: string) => body): Promise<number> {
		const body = text.replace("The kitchen", eventId);
		const { statusCode, body: response } = await pool.request({
			method: "POST",
			path: "/webhooks",
			headers: { ...signWebhook({ body, secret: SECRET, eventId }) },
			body: change(body),
		});
		await response.dump();
		return statusCode;
	}
	async function run(eventId = newEventId()): Promise<void> {
		const status = await deliver(eventId);
		if (status !== 200) throw new Error(`${name}: a delivery got ${status}`);
		delivered++;
	}

	const repeated = newEventId();
	await run(repeated);
	await run(repeated);
	// The HMAC alone does not know a repeat.
	if (settings.route !== "HMAC") delivered--;
	prove((await deliver(newEventId(), (body) => `${body} `)) === 401, `${name} rejects another body`);
	atEnd(async () => {
		const processed = await receiver.countProcessed();
		receiver.stop();
		await pool.close();
		prove(processed === delivered, `${name} processed ${processed} of ${delivered} events`);
	});
	return { name, role, run: () => run() };
}
