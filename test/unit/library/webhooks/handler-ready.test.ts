import type { Inbox, InboxResult } from "messaging-gateway/webhooks";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

/** What `ready()` rejects with, and what `onError` gets of a first delivery. */
async function compare({ handler, send, reports }: ReturnType<typeof createReceiver>) {
	const thrown = await catchRejection(handler.ready());
	expect(reports).toEqual([]);
	await send();
	return [thrown, reports[0]?.error];
}

describe("ready", () => {
	test("resolves if a delivery could be processed, and runs nothing", async () => {
		const handle = vi.fn();
		const { handler, respond, reports, calls } = createReceiver({ on: { inbound_message: handle } });
		await handler.ready();
		expect(calls).toEqual(["claim", "release"]);
		expect([handle.mock.calls, reports]).toEqual([[], []]);
		// What it has recorded is no event's, and may be there.
		await handler.ready();
		expect(await respond({ eventId: "ready" })).toBe("200");
	});

	test.each([
		["of none", { secret: "" }],
		["of an empty list", { secret: [] }],
		["of an empty one in a list", { secret: ["whsec-1", ""] }],
	])("rejects with the secret's error: %s", async (_title, options) => {
		const [thrown, reported] = await compare(createReceiver(options));
		expect(thrown).toMatchObject({ name: "WebhookVerificationError", code: "configuration" });
		expect(thrown).toEqual(reported);
	});

	test.each([
		["a function", { secret: () => undefined }],
		["the platform", { secret: { fromPlatform: () => "whsec-1" } }],
	])("leaves out a secret that %s finds for each delivery", async (_title, options) => {
		await expect(createReceiver(options).handler.ready()).resolves.toBeUndefined();
	});

	test("rejects with the store's error", async () => {
		const receiver = createReceiver();
		receiver.fail("claim", "reject");
		const [thrown, reported] = await compare(receiver);
		expect(thrown).toMatchObject({ message: "the store's claim failed" });
		expect(thrown).toEqual(reported);
	});

	test("rejects for a store that does not respond", async () => {
		const { handler, fail, clock } = createReceiver();
		fail("claim", "hang");
		const rejecting = catchRejection(handler.ready());
		await clock.advance(5_000);
		expect(await rejecting).toMatchObject({ message: expect.stringContaining("storeTimeoutMs, 5000 ms") });
	});

	describe("of an inbox", () => {
		/** An inbox whose transactions end so. */
		function createInbox(result: InboxResult) {
			const endings: unknown[] = [];
			const inbox: Inbox<object> = {
				run: vi.fn(async (_key, work) => {
					endings.push(await work({}));
					return result;
				}),
			};
			const handler = createWebhookHandler({ secret: "whsec-1", inbox, on: { unknown: () => undefined } });
			return { handler, inbox, endings };
		}

		test("opens a transaction and rolls it back", async () => {
			const { handler, endings } = createInbox({ status: "ended" });
			await handler.ready();
			expect(endings).toEqual(["roll_back"]);
		});

		test("rejects with what is wrong with the transaction", async () => {
			const error = new Error("the inbox's transaction must be READ COMMITTED");
			const { handler } = createInbox({ status: "broken", error });
			expect(await catchRejection(handler.ready())).toBe(error);
		});

		test("rejects with its error", async () => {
			const { handler, inbox } = createInbox({ status: "ended" });
			vi.mocked(inbox.run).mockRejectedValue(new Error("refused"));
			await expect(handler.ready()).rejects.toThrow("refused");
		});
	});
});
