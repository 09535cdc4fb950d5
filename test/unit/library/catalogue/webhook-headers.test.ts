import { expect, test } from "vitest";
import { webhookHeaderNames } from "../../../../src/library/catalogue/webhook-headers.ts";

test.each([
	[undefined, ["X-SVC-Event-Id", "X-SVC-Timestamp", "X-SVC-Signature"]],
	[{ headerPrefix: "Acme" }, ["X-Acme-Event-Id", "X-Acme-Timestamp", "X-Acme-Signature"]],
])("the names for %j are the three headers", (vendor, names) => {
	const { eventId, timestamp, signature, all } = webhookHeaderNames(vendor);
	expect([[eventId, timestamp, signature], all]).toEqual([names, names]);
});
