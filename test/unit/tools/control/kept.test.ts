import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, type LocalGatewayOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { ChangeFeed } from "../../../../src/tools/local-gateway/change-feed.ts";
import { createGatewayCore } from "../../../../src/tools/local-gateway/create-gateway-core.ts";
import { KeptAttachments } from "../../../../src/tools/local-gateway/kept-attachments.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { ALICE } from "../../../support/signed-client.ts";

const file = { name: "a", mimeType: "image/png" };

/** The reports of a feed, as `+` or `-` and the type. */
function listen(feed: ChangeFeed): string[] {
	const heard: string[] = [];
	feed.subscribe({
		changed: ({ type }) => heard.push(`+${type}`),
		dropped: ({ type }) => heard.push(`-${type}`),
		reset: () => heard.push("reset"),
	});
	return heard;
}

test("bytes are kept up to the limit; the oldest are dropped first", () => {
	const feed = new ChangeFeed();
	const heard = listen(feed);
	const kept = new KeptAttachments(true, feed, 6);
	// Three bytes each.
	const [first = ""] = kept.keepAll("1", [{ ...file, data: "AAAA" }]);
	const [second = "", linked, third = ""] = kept.keepAll("2", [
		{ ...file, data: "BBBB" },
		{ url: "https://a.example/b" },
		{ ...file, data: "CCCC" },
	]);
	expect(linked).toBeNull();
	expect([first, second, third].map((id) => kept.find(id ?? "") !== undefined)).toEqual([false, true, true]);
	expect(heard).toEqual(["+attachment", "+attachment", "+attachment", "-attachment"]);
	kept.dropAll([second, null, "unknown"]);
	kept.keepAll("3", [{ ...file, data: "DDDD" }]);
	expect(kept.all().map(({ messageId }) => messageId)).toEqual(["2", "3"]);
});

test("one that is larger than the limit is not kept", () => {
	const kept = new KeptAttachments(true, new ChangeFeed(), 2);
	const [id] = kept.keepAll("1", [{ ...file, data: "AAAA" }]);
	expect(kept.find(id ?? "")).toBeUndefined();
	kept.keepAll("2", [{ ...file, data: "AA==" }]);
	expect(kept.all()).toHaveLength(1);
});

test("a message whose bytes were dropped is reported again, without their id", async () => {
	const world = createWatchedGateway();
	const tenMegabytes = "AAAA".repeat(9_999_999 / 3);
	const send = (): Promise<unknown> =>
		world.control.act({
			type: "reply",
			from: ALICE,
			text: "",
			attachments: [{ ...file, data: tenMegabytes }],
		});
	for (let times = 0; times < 6; times++) await send();
	const idOf = (at: number) => world.known().messages[at]?.attachments[0]?.["id"];
	expect(idOf(0)).toBeDefined();
	await send();
	await Promise.resolve();
	expect([idOf(0), typeof idOf(1)]).toEqual([undefined, "string"]);
	expect(world.known().messages).toEqual(world.control.snapshot().messages);
});

describe("of the windows of 30 messages, kept are", () =>
	testOutcomes<readonly [LocalGatewayOptions, everySeconds: number]>(
		{
			"10, from 300 s ago on": {
				"what may be open, of one every 30 s": [{ rules: { consecutive: "off" } }, 30],
			},
			"1, from 300 s ago on": {
				"what may be open, of one every 5 min": [{ rules: { consecutive: "off" } }, 300],
			},
			"1, from 30 s ago on": { "the last, without windows": [{ rules: "off" }, 30] },
			"6, from 6 s ago on": {
				"at most twice as many as there is room for, of one every second": [
					{ rules: { consecutive: "off" }, maxEntries: 4 },
					1,
				],
			},
		},
		async ([options, everySeconds]) => {
			const clock = createAdjustableClock({ frozen: true });
			const { local, getWorld } = createGatewayCore({ clock, ...options });
			const gateway = new MessagingGateway(local.clientOptions);
			for (let at = 0; at < 30; at++) {
				await gateway.messages.sendText({ to: ALICE, text: `Message ${at}` });
				await clock.advance(everySeconds * 1_000);
			}
			const opened = getWorld().conversations.findContact(ALICE)?.opened ?? [];
			return `${opened.length}, from ${(clock.now() - (opened[0]?.at ?? 0)) / 1_000} s ago on`;
		},
	));
