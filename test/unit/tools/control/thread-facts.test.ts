import { expect, test } from "vitest";
import type { ConversationView } from "../../../../src/tools/control/contract.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { MemoryStateFile } from "../../../support/memory-state-file.ts";
import { ALICE, BOB, FAILING } from "../../../support/signed-client.ts";

function conversationOf({ control }: WatchedGateway, key: string): ConversationView | undefined {
	return control.snapshot().conversations.find((conversation) => conversation.key === key);
}

test("a conversation counts its kept messages and shows the last", async () => {
	const world = createWatchedGateway({ maxEntries: 3 });
	for (const text of ["One", "Two", "Three"]) await world.local.contact(ALICE).reply(text);
	await world.local.contact(BOB).reply(`Hi ${"x".repeat(300)}`, {
		attachments: [{ name: "a.png", mimeType: "image/png", data: "AAAA" }],
	});
	expect(conversationOf(world, ALICE)).toMatchObject({
		messageCount: 2,
		failedCount: 0,
		lastMessage: { text: "Three", kind: "text", outbound: false },
	});
	const last = conversationOf(world, BOB)?.lastMessage;
	expect(last?.text).toHaveLength(200);
	expect(last?.attachments).toEqual([{ name: "a.png", mimeType: "image/png" }]);
	for (const text of ["One", "Two", "Three"]) await world.local.contact(BOB).reply(text);
	expect(conversationOf(world, ALICE)).toMatchObject({ messageCount: 0, lastMessage: null });
});

test("a conversation counts its failed messages", async () => {
	const world = createWatchedGateway();
	await world.gateway.messages.sendText({ to: FAILING, text: "Hello" });
	expect(conversationOf(world, FAILING)).toMatchObject({ failedCount: 0 });
	await world.local.settled();
	expect(conversationOf(world, FAILING)).toMatchObject({ failedCount: 1, lastMessage: { status: "failed" } });
	await world.control.act({ type: "reset" });
	await world.local.contact(FAILING).reply("Hi");
	expect(conversationOf(world, FAILING)).toMatchObject({ messageCount: 1, failedCount: 0 });
});

test("a conversation counts its failing webhooks and its rejected requests, without probes", async () => {
	let status = 401;
	const world = createWatchedGateway({
		deliverTo: () => new Response(null, { status }),
		webhooks: { retryDelaysMs: [] },
	});
	const failedCount = () => world.known().conversations.find(({ key }) => key === ALICE)?.failedCount;
	await world.local.contact(ALICE).reply("Hi");
	await world.local.settled();
	expect(failedCount()).toBe(1);
	for (const _ of [1, 2])
		await world.gateway.messages.sendText({ to: ALICE, text: "Hello" }).catch(() => undefined);
	await expect.poll(failedCount).toBe(2);

	status = 200;
	await world.control.act({ type: "redeliver", eventId: world.local.deliveries[0]?.eventId ?? "" });
	await expect.poll(failedCount).toBe(1);
	await world.control.act({ type: "reset" });
	await world.local.contact(ALICE).reply("Hi");
	await expect.poll(failedCount).toBe(0);
});

test("the messages of an earlier run count", async () => {
	const state = new MemoryStateFile();
	const first = createWatchedGateway({ state });
	await first.local.contact(ALICE).reply("Before the restart");
	await first.local.close();
	expect(conversationOf(createWatchedGateway({ state }), ALICE)).toMatchObject({
		messageCount: 1,
		lastMessage: { text: "Before the restart" },
	});
});
