import { expect, test } from "vitest";
import { signWebhook } from "../../../../../src/library/webhooks/sign-webhook.ts";
import { explainDelivery } from "../../../../../src/tools/console/conversations/drawer/explain-delivery.tsx";

const SECRET = "the-webhook-secret-of-this-gateway";
const BODY = '{"a": 1}';

const headers = signWebhook({ body: BODY, secret: SECRET, timestamp: 7_000_000_000 });
const explain = (body: string, secret: string) =>
	explainDelivery(
		{ headers, timestamp: 7_000_000_000 },
		{ body: BODY, secret: SECRET },
		{ body, secret },
		{ appSecret: "the-app-secret-of-this-gateway" },
	);

test("a receiver with what was sent accepts it, whenever that was", () => {
	expect(explain("", "").isValid).toBe(true);
});

test("another secret, and a body that was parsed and stringified, are certain causes", () => {
	expect(explain("", "another-secret-of-the-receiver").findings).toMatchObject([
		{ cause: "other_secret", certainty: "certain" },
	]);
	expect(explain('{"a":1}', "").findings).toMatchObject([
		{ cause: "body_reserialized", certainty: "certain" },
	]);
	expect(explain("", "the-app-secret-of-this-gateway").isValid).toBe(false);
});
