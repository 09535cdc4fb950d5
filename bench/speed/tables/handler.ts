import {
	createWebhookHandler,
	memoryStore,
	signWebhook,
	verifyWebhook,
	type WebhookHandler,
} from "messaging-gateway/webhooks";
import { createDelivery } from "../inputs.ts";
import { prove } from "../prove.ts";
import type { SpeedTable } from "../table.ts";

const SECRET = "a-secret-of-32-characters-length";

/** Each is delivered once to each handler. */
const DELIVERIES = 10_000;

/** A whole delivery to the webhook handler with the store in memory. */
export const table: SpeedTable = {
	title: "The webhook handler",
	async *openCases() {
		const deliveries = await signDeliveries();
		const next = createCycle(deliveries);
		const nextToVerify = createCycle(deliveries);
		let handler = createHandler();

		async function handle(): Promise<void> {
			const { item, isFirst } = next();
			// All of them were processed: another round needs an empty store.
			if (isFirst) handler = createHandler();
			const { status } = await handler.handle(item);
			if (status !== 200) throw new Error(`a new delivery got ${status}`);
		}

		await handle();
		const [{ headers, body } = { headers: {}, body: "" }] = deliveries;
		const tampered = await handler.handle({ headers, body: `${body} ` });
		prove(tampered.status === 401 || tampered.status === 400, "the handler rejects another body");
		yield {
			name: "1 kB, string",
			contenders: [
				{ name: "createWebhookHandler", role: "ours", run: handle },
				{
					name: "verifyWebhook",
					role: "floor",
					run: () => verifyWebhook(nextToVerify().item, { secret: SECRET }),
				},
			],
		};
	},
};

interface Delivery {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

async function signDeliveries(): Promise<Delivery[]> {
	const { text } = await createDelivery(1_000);
	return Array.from({ length: DELIVERIES }, (_, at) => {
		const eventId = `evt_${at.toString(16).padStart(24, "0")}`;
		const body = text.replace("The kitchen", eventId);
		const headers = Object.entries(signWebhook({ body, secret: SECRET, eventId }));
		return { headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])), body };
	});
}

function createHandler(): WebhookHandler {
	return createWebhookHandler({
		secret: SECRET,
		store: memoryStore(),
		on: { inbound_message: () => undefined, unknown: () => undefined },
	});
}

function createCycle<Item>(items: readonly Item[]): () => { item: Item; isFirst: boolean } {
	let at = -1;
	return () => {
		at = (at + 1) % items.length;
		const item = items[at];
		if (item === undefined) throw new Error("there is nothing to deliver");
		return { item, isFirst: at === 0 };
	};
}
