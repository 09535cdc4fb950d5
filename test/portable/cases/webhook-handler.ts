import type { Clock, EventHandlers, WebhookHandler } from "messaging-gateway/webhooks";
import { assertEqual } from "../check.ts";
import type { Library, PortableCase } from "../portable-case.ts";
import { createWorld, USER } from "../world.ts";

const SECRET = "whsec-1";

/** Each event is processed once, in any order of deliveries. */
export const webhookHandlerCases: readonly PortableCase[] = [
	{
		name: "an event that comes twice is processed once",
		async run(library) {
			const texts: string[] = [];
			const handler = createHandler(library, { inbound_message: ({ data }) => void texts.push(data.text) });
			const request = library.testing.createWebhookRequest(
				"inbound_message",
				{ text: "Grüße 🎉" },
				{ secret: SECRET, eventId: "evt_1" },
			);
			const again = request.clone();
			assertEqual(
				[await respond(handler, request), await respond(handler, again)],
				["200 ", "200 "],
				"responses",
			);
			assertEqual(texts, ["Grüße 🎉"], "what was processed");
		},
	},
	{
		name: "only one of two at once runs",
		async run(library) {
			let runs = 0;
			const begun = Promise.withResolvers<void>();
			const held = Promise.withResolvers<void>();
			const handler = createHandler(library, {
				status: async () => {
					runs++;
					begun.resolve();
					await held.promise;
				},
			});
			const request = library.testing.createWebhookRequest("status", {}, { secret: SECRET });
			const again = request.clone();
			const first = respond(handler, request);
			await begun.promise;
			assertEqual(await respond(handler, again), "503 in_flight", "the second response");
			held.resolve();
			assertEqual([await first, runs], ["200 ", 1], "the first response, and the runs");
		},
	},
	{
		name: "an event whose handler failed comes again",
		async run(library) {
			const attempts: number[] = [];
			const handler = createHandler(library, {
				status(_, { attempt }) {
					attempts.push(attempt);
					if (attempt === 1) throw new Error("the database is away");
				},
			});
			const request = library.testing.createWebhookRequest("status", {}, { secret: SECRET });
			const again = request.clone();
			assertEqual(await respond(handler, request), "500 handler_failed", "the first response");
			assertEqual(await respond(handler, again), "200 ", "the second response");
			assertEqual(attempts, [1, 2], "attempts");
		},
	},
	{
		name: "requests that are rejected",
		async run(library) {
			const { testing } = library;
			const create = (options: object) => testing.createWebhookRequest("status", {}, options);
			const handler = createHandler(library, {});
			assertEqual(
				await respond(handler, create({ secret: "whsec-2" })),
				"401 signature_mismatch",
				"a secret",
			);
			const old = create({ secret: SECRET, timestamp: Math.floor(Date.now() / 1_000) - 600 });
			assertEqual(await respond(handler, old), "401 timestamp_out_of_tolerance", "an old one");
			const read = create({ secret: SECRET });
			await read.text();
			assertEqual(await respond(handler, read), "500 raw_body_unavailable", "one that was read before");
			const get = new Request("https://app.example/webhooks");
			assertEqual(await respond(handler, get), "405 method_not_allowed", "a GET");
			const large = { method: "POST", headers: old.headers, body: "x".repeat(1_048_577) };
			assertEqual(
				await respond(handler, new Request("https://app.example/webhooks", large)),
				"413 body_too_large",
				"a large one",
			);
		},
	},
	{
		name: "tampered, repeated and acknowledged deliveries",
		async run(library) {
			const seen: string[] = [];
			const { local, gateway, settle } = createWorld(library, {
				gateway: { webhookSecret: SECRET, deliverTo: (request) => handler.fetch(request) },
			});
			const on: Partial<EventHandlers> = {
				inbound_message: ({ data }) => void seen.push(data.text),
				status: ({ data }) => void seen.push(data.status),
			};
			const handler = createHandler(library, on, local.clock);
			local.faults.webhooks.tamper();
			local.faults.webhooks.repeat({ times: 3 });
			await settle(gateway.messages.sendText({ to: USER, text: "Hello" }));
			await local.contact(USER).reply("Yes!");
			await local.settled();
			assertEqual(seen.sort(), ["Yes!", "delivered", "read", "sent"], "what was processed");
			const statuses = local.deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
			assertEqual(statuses.sort(), [200, 200, 200, 200, 200, 200, 200, 401], "responses");
		},
	},
];

function createHandler({ webhooks }: Library, on: Partial<EventHandlers>, clock?: Clock): WebhookHandler {
	const unknown: EventHandlers["unknown"] = ({ eventId }) => {
		throw new Error(`${eventId} is not as documented`);
	};
	return webhooks.createWebhookHandler({
		secret: SECRET,
		store: webhooks.memoryStore(),
		on: { unknown, ...on },
		onError: () => undefined,
		clock,
	});
}

/** Status and code of the response to a request. */
async function respond(handler: WebhookHandler, request: Request): Promise<string> {
	const response = await handler.fetch(request);
	return `${response.status} ${await response.text()}`;
}
