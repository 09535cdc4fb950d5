import { signWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../../src/library/errors.ts";
import { catchError } from "../../../support/catch-error.ts";
import { webhookSignature } from "../../../support/webhook-delivery.ts";

describe("signWebhook", () => {
	test("gives the three headers of section 6.1 and the content type", () => {
		const body = '{"text":"Grüße"}';
		expect(signWebhook({ body, secret: "whsec-1", timestamp: 1767225600, eventId: "evt_1" })).toEqual({
			"Content-Type": "application/json",
			"X-SVC-Event-Id": "evt_1",
			"X-SVC-Timestamp": "1767225600",
			"X-SVC-Signature": `v1=${webhookSignature(body, "whsec-1", 1767225600)}`,
		});
	});

	test("chooses an event id of the documented form and the present second", () => {
		const before = Math.floor(Date.now() / 1000);
		const [first, second] = [0, 1].map(() => signWebhook({ body: "{}", secret: "whsec-1" }));
		const after = Math.floor(Date.now() / 1000);
		expect(first?.["X-SVC-Event-Id"]).toMatch(/^evt_[0-9a-f]{24}$/);
		expect(first?.["X-SVC-Event-Id"]).not.toBe(second?.["X-SVC-Event-Id"]);
		expect(Number(first?.["X-SVC-Timestamp"])).toBeGreaterThanOrEqual(before);
		expect(Number(first?.["X-SVC-Timestamp"])).toBeLessThanOrEqual(after);
	});

	test("uses the vendor's word in the names", () => {
		const profile = { vendor: { headerPrefix: "Acme" } };
		expect(Object.keys(signWebhook({ body: "{}", secret: "whsec-1", profile }))).toEqual([
			"Content-Type",
			"X-Acme-Event-Id",
			"X-Acme-Timestamp",
			"X-Acme-Signature",
		]);
	});

	test.each([undefined, null, "", " ", "undefined", "s3cr3t "])(
		"an unusable secret (%j) is a ConfigurationError",
		(secret) => {
			const error = catchError(() => signWebhook({ body: "{}", secret: secret as string }));
			expect(error).toBeInstanceOf(ConfigurationError);
			expect(String(error)).not.toContain("s3cr3t");
		},
	);
});
