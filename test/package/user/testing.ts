import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, createWebhookRequest, eventStoreCases } from "messaging-gateway/testing";
import { memoryStore } from "messaging-gateway/webhooks";

await using local = createLocalGateway({ readings: ["webhooks are not retried"] });
const gateway = new MessagingGateway(local.clientOptions);
await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
await local.settled();

export const statuses = local.sent.map(({ status }) => status);
export const request: Request = createWebhookRequest("status", { status: "read" }, { secret: "secret" });

for (const { run } of eventStoreCases()) {
	await run(() => ({ store: memoryStore({ clock: local.clock }), advance: (ms) => local.clock.advance(ms) }));
}
