/** Tests both directions of an app in one process: what it sends, and how its webhook handler processes the replies. */
import { DuplicateMessageError, MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { signWebhook } from "messaging-gateway/webhooks";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createReminders } from "./reminders.ts";

const CUSTOMER = "+15551234567";
const MINUTE_MS = 60_000;

let local: ReturnType<typeof createLocalGateway>;
let app: ReturnType<typeof createReminders>;
/** The raw bodies that the app has kept. */
let kept: string[];

beforeEach(() => {
	local = createLocalGateway({ deliverTo: (request) => app.webhooks.fetch(request) });
	kept = [];
	app = createReminders({
		gateway: new MessagingGateway(local.clientOptions),
		secret: local.webhookSecret,
		keep: (_eventId, rawBody) => kept.push(rawBody),
		clock: local.clock, // With another clock, deliveries would look stale after a test moves the time.
	});
	onTestFinished(() => local.close());
});

test("a customer who answers yes has confirmed", async () => {
	await app.remind(CUSTOMER, "Ada");
	await local.settled();
	expect(local.sent).toMatchObject([{ to: CUSTOMER, status: "read" }]);

	await local.contact(CUSTOMER).reply("Yes, see you then");
	await local.settled();
	expect(app.confirmed).toEqual([CUSTOMER]);
});

test("a reply that is delivered twice counts once", async () => {
	local.faults.webhooks.repeat();
	await local.contact(CUSTOMER).reply("yes");
	await local.settled();
	expect(local.deliveries.flatMap(({ attempts }) => attempts)).toHaveLength(2);
	expect(app.confirmed).toEqual([CUSTOMER]);
});

test("an event of a new type is acknowledged and kept", async () => {
	const body = JSON.stringify({ type: "contact_typing", from: CUSTOMER });
	const headers = signWebhook({ body, secret: local.webhookSecret });
	expect(await app.webhooks.handle({ headers, body })).toMatchObject({ status: 200 });
	expect(kept).toEqual([body]);
});

test("a delivery with a wrong signature is rejected, and the next one is accepted", async () => {
	local.faults.webhooks.wrongSignature();
	await local.contact(CUSTOMER).reply("yes");
	await local.settled();
	expect(local.deliveries[0]?.attempts).toMatchObject([{ status: 401 }, { status: 200 }]);
	expect(app.confirmed).toEqual([CUSTOMER]);
});

test("a rate-limited reminder is sent again after the time of Retry-After", async () => {
	local.faults.respond({ status: 429, retryAfterSeconds: 30 });
	const reminded = app.remind(CUSTOMER, "Ada");
	await vi.waitFor(() => expect(local.requests).toHaveLength(1));
	await local.clock.advance(30_000);
	await reminded;
	expect(local.requests).toHaveLength(2);
	expect(local.sent).toHaveLength(1);
});

test("the same reminder is rejected for five minutes", async () => {
	await app.remind(CUSTOMER, "Ada");
	await expect(app.remind(CUSTOMER, "Ada")).rejects.toThrow(DuplicateMessageError);
	await local.clock.advance(5 * MINUTE_MS);
	await app.remind(CUSTOMER, "Ada");
	expect(local.sent).toHaveLength(2);
});
