import { runInNewContext } from "node:vm";
import { explainWebhookFailure } from "messaging-gateway/doctor";
import { verifySignature } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { chooseRawBody } from "../../../../src/library/webhooks/adapters/node-request.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const payload = { type: "new", text: "é\u{1f600}" };
const sent = new TextEncoder().encode(JSON.stringify(payload));

/** As a body-reading library returns it under a test runner that runs code in a separate context. */
const foreign = (code: string): never => runInNewContext(`(${code})`, { sent: [...sent] }) as never;

async function* inPieces(): AsyncGenerator<Uint8Array> {
	yield foreign("Uint8Array.from(sent.slice(0, 5))");
	yield foreign("Uint8Array.from(sent.slice(5))");
}

describe.each<[title: string, body: () => never]>([
	["bytes", () => foreign("Uint8Array.from(sent)")],
	["a view into a larger buffer", () => foreign("Uint8Array.from([0, ...sent, 0]).subarray(1, -1)")],
	["a buffer", () => foreign("Uint8Array.from(sent).buffer")],
])("a body of another realm as %s", (_title, body) => {
	test("is verified", () => {
		expect(verifySignature({ ...deliver(sent), body: body() }, receiver()).eventId).toBe("evt_1");
	});

	test("is processed, and rejected over the limit", async () => {
		const { respond } = createReceiver();
		expect(await respond({ payload, handedOver: body() })).toBe("200");
		const limited = createReceiver({ maxBodyBytes: sent.length - 1 });
		expect(await limited.respond({ payload, handedOver: body() })).toBe("413 body_too_large");
	});

	test("is explained", () => {
		const explanation = explainWebhookFailure({ ...deliver(sent), body: body() }, receiver());
		expect(explanation.isValid).toBe(true);
	});

	test("is the raw body where a parser kept it", () => {
		const kept = body();
		const iterator = vi.fn();
		const request = { headers: {}, complete: true, readableDidRead: false, readableEnded: false, iterator };
		expect(chooseRawBody({ ...request, rawBody: kept })).toBe(kept);
	});
});

test("a stream of pieces of another realm is read", async () => {
	const { respond } = createReceiver();
	expect(await respond({ payload, handedOver: inPieces() })).toBe("200");
});
