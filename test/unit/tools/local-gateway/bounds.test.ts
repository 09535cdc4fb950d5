import type { LocalGatewayOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { Traffic } from "../../../../src/tools/local-gateway/traffic.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { AGENT, ALICE, BOB, call, createFrozenGateway, pathOf } from "../../../support/signed-client.ts";
import {
	calls,
	codeOf,
	goesOffline,
	goesOnline,
	maps,
	OTHER_AGENT,
	play,
	responseTo,
	type Step,
	type Story,
	sends,
	settles,
	waits,
} from "./steps.ts";

const MAX = 3;
const SMALL: LocalGatewayOptions = { maxEntries: MAX, rules: "off" };
const RECEIVING: LocalGatewayOptions = { ...SMALL, deliverTo: () => new Response() };

/** Duplicate windows alone. */
const windows = (contact: number, account: number): LocalGatewayOptions => ({
	...SMALL,
	rules: { duplicateWindowSeconds: { contact, agent: 0, account }, consecutive: "off" },
});
const contact = (last: number) => `+1555111000${last}`;
/** Sends, and does everything that follows: what is under way is never dropped. */
const settled = (step: Step): Step[] => [step, settles];
const texts = (...words: string[]): Step[] => words.flatMap((text) => settled(sends(ALICE, text)));
const contacts = (...last: number[]): Step[] => last.flatMap((at) => settled(sends(contact(at))));
const group = (last: number) =>
	calls("POST", "/message/text", { participants: [ALICE, contact(last)], text: "Hi" });
const groups = (...last: number[]): Step[] => last.flatMap((at) => settled(group(at)));
const reads = calls("POST", "/message/read", { groupId: "first" });

describe(`with room for ${MAX}, the last request gets`, () =>
	testOutcomes<Story>(
		{
			200: {
				"the newest of four mappings": [
					SMALL,
					...contacts(1, 2, 3, 4),
					calls("GET", pathOf("/mapping", contact(4))),
				],
				"a deletion of the mapping of an agent that was dropped": [
					{ ...SMALL, maxEntries: 1 },
					maps(),
					calls("POST", "/agent", { agentNumber: OTHER_AGENT }),
					calls("DELETE", pathOf("/mapping", ALICE)),
				],
				"the second of four mappings": [
					SMALL,
					...contacts(1, 2, 3, 4),
					calls("GET", pathOf("/mapping", contact(2))),
				],
			},
			202: {
				"a text whose duplicate window was dropped": [
					windows(300, 0),
					...texts("1", "2", "3", "4"),
					sends(ALICE, "1"),
				],
				"a text when what was pending is done": [
					RECEIVING,
					...[1, 2, 3].map((last) => sends(contact(last))),
					settles,
					sends(),
				],
				"a text when the agent of waiting ones is back": [
					{ ...SMALL, agents: [AGENT, OTHER_AGENT] },
					goesOffline,
					...["1", "2", "3"].flatMap((text) => settled(sends(ALICE, text, { from: AGENT }))),
					goesOnline,
					settles,
					sends(BOB),
				],
				"the third text that is pending": [SMALL, sends(contact(1)), sends(contact(2)), sends()],
			},
			"404 MAPPING_NOT_FOUND": {
				"the oldest of four mappings": [
					SMALL,
					...contacts(1, 2, 3, 4),
					calls("GET", pathOf("/mapping", contact(1))),
				],
			},
			"404 GROUP_NOT_FOUND": {
				"the oldest of four groups": [
					SMALL,
					...groups(1),
					async (local) => {
						const groupId = local.sent[0]?.groupId;
						for (const step of groups(2, 3, 4)) await step(local);
						return calls("POST", "/message/read", { groupId })(local);
					},
				],
				"a group that there never was": [SMALL, reads],
			},
			"409 DUPLICATE_MESSAGE": {
				"a text whose duplicate window is among the youngest": [
					windows(300, 0),
					...texts("1", "2", "3", "4"),
					sends(ALICE, "2"),
				],
				"reading: a text whose duplicate window a blocked one extended": [
					{ ...windows(300, 0), readings: ["blocked attempts extend a window"] },
					...texts("1", "2", "3"),
					sends(ALICE, "1"),
					...texts("4"),
					sends(ALICE, "1"),
				],
				"a text whose duplicate window was opened again": [
					windows(0, 60),
					...texts("1", "2"),
					waits(60),
					...texts("1", "3", "4"),
					sends(ALICE, "1"),
				],
			},
			"503 SERVICE_UNAVAILABLE": {
				"a text beside three that are pending": [
					SMALL,
					...[1, 2, 3].map((last) => sends(contact(last))),
					sends(),
				],
				"a text beside three that wait for their agent": [
					{ ...SMALL, agents: [AGENT, OTHER_AGENT] },
					goesOffline,
					...["1", "2", "3"].flatMap((text) => settled(sends(ALICE, text, { from: AGENT }))),
					sends(BOB),
				],
			},
		},
		(story) => codeOf(responseTo(story)),
	));

test("the newest messages, deliveries, requests and mappings are kept, and counted", async () => {
	const { local } = await play([RECEIVING, ...contacts(1, 2, 3, 4, 5)]);
	expect(local.sent.map(({ to }) => to)).toEqual([3, 4, 5].map(contact));
	expect(local.deliveries).toHaveLength(MAX);
	expect(local.requests).toHaveLength(MAX);
	expect((await call(local, "GET", "/mapping")).body.data.mappings).toHaveLength(MAX);
	const { agent } = (await call(local, "GET", pathOf("/agent", AGENT))).body.data;
	expect(agent.mappingCount).toBe(MAX);
});

test("a group that was dropped begins again", async () => {
	const { local } = await play([SMALL, ...groups(1)]);
	const first = local.sent[0]?.groupId;
	for (const step of groups(2, 3, 4, 1)) await step(local);
	expect(local.sent.at(-1)?.groupId).not.toBe(first);
});

test("a message that is dropped is not found by its guid either", async () => {
	const { local } = await play([SMALL, ...contacts(1)]);
	const messageGuid = local.sent[0]?.messageGuid ?? "";
	for (let times = 0; times < MAX; times++) await local.contact(BOB).reply("Hi");
	await expect(local.contact(contact(1)).react("love", { messageGuid })).rejects.toThrow("No message");
});

test.each([
	["POST", "/unknown", 404],
	["PUT", "/message/text", 405],
])("the body of %s %s, which nothing serves, is not read", async (method, path, status) => {
	const local = createFrozenGateway(SMALL);
	let pulled = 0;
	async function* chunks() {
		for (; pulled < 3; pulled += 1) yield new Uint8Array(1);
	}
	const url = local.baseUrl + path;
	const response = await local.handle({ method, url, headers: new Headers(), body: chunks() });
	expect([response.status, pulled]).toEqual([status, 0]);
	expect(local.requests).toMatchObject([{ path, status, body: "" }]);
});

describe("of recorded bodies of so many MiB are kept", () =>
	testOutcomes<readonly number[]>(
		{
			"2, 3, 4, 5": { "five of 16": [16, 16, 16, 16, 16] },
			"1, 2, 3, 4": { "four of 16": [16, 16, 16, 16] },
			2: { "a large one after a small one": [1, 64] },
			nothing: { "one that is larger than all may be": [65] },
		},
		(sizes) => {
			const traffic = new Traffic(1_000);
			for (const [at, mebibytes] of sizes.entries()) {
				const body = "x".repeat(mebibytes * 1024 * 1024);
				traffic.record({ method: "POST", path: `${at + 1}`, query: "", headers: {}, body, at: 0 });
			}
			return (
				traffic
					.records()
					.map(({ path }) => path)
					.join(", ") || "nothing"
			);
		},
	));
