import { createWebhookRequest } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";

async function verify(request: Request, options: Parameters<typeof verifyWebhook>[1] = {}) {
	const delivery = { body: await request.arrayBuffer(), headers: request.headers };
	return verifyWebhook(delivery, { secret: "local-webhook-secret", ...options });
}

test.each(["inbound_message", "inbound_reaction", "status"] as const)(
	"%s: signed and as documented",
	async (kind) => {
		const request = createWebhookRequest(kind);
		expect(request.method).toBe("POST");
		expect((await verify(request)).kind).toBe(kind);
	},
);

test("known and unknown fields can be set", async () => {
	const event = await verify(createWebhookRequest("status", { status: "failed", error: "gone", extra: 1 }));
	expect(event.data).toMatchObject({ status: "failed", error: "gone", extra: 1, outbound: true });
	expect(event.data).not.toHaveProperty("type");
});

test("so can the signature's parts", async () => {
	const profile = { vendor: { headerPrefix: "Acme", messageNumberField: "acmeNumber" } };
	const options = {
		secret: "s3cret",
		url: "https://app.example/hooks",
		eventId: "evt_1",
		timestamp: 1_000,
		profile,
	};
	const request = createWebhookRequest("inbound_message", { text: "STOP" }, options);
	expect(request.url).toBe("https://app.example/hooks");
	const clock = { now: () => 1_000_000, setTimer: () => () => {} };
	const event = await verify(request, { secret: "s3cret", profile, clock });
	expect(event).toMatchObject({ eventId: "evt_1", timestamp: 1_000, kind: "inbound_message" });
	expect(event.data).toMatchObject({ text: "STOP", outbound: false });
});
