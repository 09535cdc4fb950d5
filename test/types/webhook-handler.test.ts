import {
	createWebhookHandler,
	type EventHandlers,
	type HandlerContext,
	type InboundMessageEvent,
	type InboundReactionEvent,
	type Inbox,
	memoryStore,
	type StatusEvent,
	type UnknownEvent,
	type WebhookHandler,
} from "messaging-gateway/webhooks";
import { describe, expectTypeOf, test } from "vitest";

const store = memoryStore();
const unknown = (event: UnknownEvent): unknown => event.issues;

/** Never called: what matters is which of it compiles. */
function createEach(): WebhookHandler[] {
	return [
		createWebhookHandler({ store, on: { unknown } }),
		createWebhookHandler({ store, enqueue: (event) => event.eventId }),
		// @ts-expect-error what is not as documented must go somewhere
		createWebhookHandler({ store, on: { inbound_message: () => undefined } }),
		// @ts-expect-error nothing is done with the events
		createWebhookHandler({ store }),
		// @ts-expect-error a queue gets all of them, or handlers do
		createWebhookHandler({ store, on: { unknown }, enqueue: () => undefined }),
		// @ts-expect-error a store in memory must not be chosen in silence
		createWebhookHandler({ on: { unknown } }),
		// @ts-expect-error a misspelt kind would lose its events
		createWebhookHandler({ store, on: { unknown, inbound_mesage: () => undefined } }),
	];
}

/** Never called: a store's handlers have a token, an inbox's the transaction. */
function createWithInbox(inbox: Inbox<{ insert(): void }>): WebhookHandler[] {
	return [
		createWebhookHandler({ inbox, on: { unknown: (_event, { transaction }) => transaction.insert() } }),
		createWebhookHandler({
			inbox,
			enqueue: (_event, { transaction, signal }) => signal && transaction.insert(),
		}),
		createWebhookHandler({ store, on: { unknown: (_event, { token, attempt }) => token + attempt } }),
		// @ts-expect-error a run that fails leaves no record that could count
		createWebhookHandler({ inbox, on: { unknown: (_event, { token }) => token } }),
		// @ts-expect-error a store has no transaction
		createWebhookHandler({ store, on: { unknown: (_event, { transaction }) => transaction } }),
		// @ts-expect-error one of them remembers the events
		createWebhookHandler({ store, inbox, on: { unknown } }),
		// @ts-expect-error a transaction has no lease
		createWebhookHandler({ inbox, leaseMs: 1_000, on: { unknown } }),
		// @ts-expect-error an inbox is no store
		createWebhookHandler({ store: inbox, on: { unknown } }),
	];
}

/** Never called. */
function createWithSecrets(): WebhookHandler[] {
	const on = { unknown };
	return [
		createWebhookHandler({ store, on, secret: "a" }),
		createWebhookHandler({ store, on, secret: ["a", "b"] }),
		createWebhookHandler({ store, on, secret: { fromPlatform: ([env]) => String(env) } }),
		createWebhookHandler({ store, on, secret: () => ({ tenant: "acme", secret: ["a", "b"] }) }),
		createWebhookHandler({ store, on, secret: async () => undefined }),
		// @ts-expect-error tenants would share their event ids
		createWebhookHandler({ store, on, secret: () => ({ secret: "a" }) }),
		// @ts-expect-error it does not name the tenant
		createWebhookHandler({ store, on, secret: () => "a" }),
		// @ts-expect-error neither does a promise of one
		createWebhookHandler({ store, on, secret: async () => ["a"] }),
	];
}

/** Never called. */
function readNarrowed({ narrowed }: UnknownEvent): string | undefined {
	if (narrowed?.kind === "status") return narrowed.data.status;
	// @ts-expect-error only a message has an account and a text, and it may lack either
	return narrowed?.kind === "inbound_message" ? narrowed.data.text.length : undefined;
}

describe("createWebhookHandler", () => {
	test("accepts handlers with one for unknown events, or a queue", () => {
		expectTypeOf(createEach).returns.toEqualTypeOf<WebhookHandler[]>();
	});

	test("accepts an inbox in the place of a store", () => {
		expectTypeOf(createWithInbox).returns.toEqualTypeOf<WebhookHandler[]>();
	});

	test("accepts a secret, several, one of the platform, or a function that names the tenant", () => {
		expectTypeOf(createWithSecrets).returns.toEqualTypeOf<WebhookHandler[]>();
	});

	test("gives each handler the event of its kind", () => {
		type Given<Kind extends keyof EventHandlers> = Parameters<NonNullable<EventHandlers[Kind]>>;
		expectTypeOf<Given<"inbound_message">>().toEqualTypeOf<[InboundMessageEvent, HandlerContext]>();
		expectTypeOf<Given<"inbound_reaction">>().toEqualTypeOf<[InboundReactionEvent, HandlerContext]>();
		expectTypeOf<Given<"status">>().toEqualTypeOf<[StatusEvent, HandlerContext]>();
		expectTypeOf<Given<"unknown">>().toEqualTypeOf<[UnknownEvent, HandlerContext]>();
	});

	test("gives what is as documented of an event that is not", () => {
		expectTypeOf(readNarrowed).parameter(0).toEqualTypeOf<UnknownEvent>();
	});
});
