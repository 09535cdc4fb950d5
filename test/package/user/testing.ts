import { MessagingGateway } from "messaging-gateway";
import {
	type ContactActor,
	connect,
	createLocalGateway,
	createWebhookRequest,
	eventStoreCases,
	MAGIC_NUMBERS,
	readings,
} from "messaging-gateway/testing";
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

// A module of helpers exports what a gateway, or a connection to one, returns: its declarations must have names for it.
export const { faults, clock, deliveries, requests, sent } = local;
export const contact = local.contact("+15551234567");
export const agent = local.agent("+15550000001");
export const attempts = deliveries.map((delivery) => delivery.attempts);
export const kinds = deliveries.map(({ kind }) => kind);
export const { tamper } = faults.webhooks;
export const numbers = [MAGIC_NUMBERS, readings];
export const saysYes = (person: ContactActor) => person.reply("Yes");

export const remote = await connect({ baseUrl: "http://localhost:4400", token: "token" });
export const remoteContact = remote.contact("+15551234567");
export const remoteFaults = remote.faults;
export const remoteWebhookFaults = remote.faults.webhooks;
export const findMessages = () => remote.messages();
export const findDeliveries = async () => (await remote.deliveries({ failed: true })).items;
export const findAttempts = async () => (await findDeliveries()).map((delivery) => delivery.attempts);
export const findReasons = async () => (await findAttempts()).flat().map(({ diagnosis }) => diagnosis);
export const findRequests = async () => (await remote.requests()).items;
export const findRequest = (id: string) => remote.request(id);
