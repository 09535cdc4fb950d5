import type { LocalGateway, LocalGatewayOptions } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { Traffic } from "../../../../src/tools/local-gateway/traffic.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	outcomeOf,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

const MAX = 3;

function createSmallGateway(options: LocalGatewayOptions = {}) {
	return createFrozenGateway({ maxEntries: MAX, rules: "off", ...options });
}

/** Sends a text, and does everything that follows: what is under way is never dropped. */
async function sendAndSettle(local: LocalGateway, to: string, text?: string, fields?: object) {
	const response = await sendText(local, to, text, fields);
	await local.settled();
	return response;
}

test("the oldest messages, mappings, requests and deliveries are dropped", async () => {
	const local = createSmallGateway({ deliverTo: () => new Response() });
	const ids: string[] = [];
	for (const last of [1, 2, 3, 4, 5]) {
		const { body } = await sendAndSettle(local, `+1555111000${last}`);
		ids.push(body.data.message.messageId);
	}
	expect(local.sent.map(({ messageId }) => messageId)).toEqual(ids.slice(-MAX));
	expect(local.deliveries).toHaveLength(MAX);
	expect(local.requests).toHaveLength(MAX);
	expect((await call(local, "GET", "/mapping")).body.data.mappings).toHaveLength(MAX);
	const { agent } = (await call(local, "GET", pathOf("/agent", AGENT))).body.data;
	expect(agent.mappingCount).toBe(MAX);
});

test("a message that is dropped is not found by its guid either", async () => {
	const local = createSmallGateway();
	await sendAndSettle(local, ALICE);
	const messageGuid = local.sent[0]?.messageGuid ?? "";
	for (let times = 0; times < MAX; times++) await local.contact(BOB).reply("Hi");
	await expect(local.contact(ALICE).react("love", { messageGuid })).rejects.toThrow("No message");
});

test.each([
	["POST", "/unknown", 404],
	["PUT", "/message/text", 405],
])("the body of %s %s, which nothing serves, is not read", async (method, path, status) => {
	const local = createSmallGateway();
	let pulled = 0;
	async function* chunks() {
		for (; pulled < 3; pulled += 1) yield new Uint8Array(1);
	}
	const url = local.baseUrl + path;
	const response = await local.handle({ method, url, headers: new Headers(), body: chunks() });
	expect([response.status, pulled]).toEqual([status, 0]);
	expect(local.requests).toMatchObject([{ path, status, body: "" }]);
});

test("the oldest groups are dropped", async () => {
	const local = createSmallGateway();
	const send = async (last: number) => {
		const participants = [ALICE, `+1555111000${last}`];
		const { body } = await call(local, "POST", "/message/text", { participants, text: "Hi" });
		await local.settled();
		return body.data.message.groupId;
	};
	const first = await send(1);
	for (const last of [2, 3, 4]) await send(last);
	expect((await call(local, "POST", "/message/read", { groupId: first })).status).toBe(404);
	expect(await send(1)).not.toBe(first);
});

test("duplicate windows are dropped, too", async () => {
	const windows = { contact: 300, agent: 0, account: 0 };
	const local = createSmallGateway({ rules: { duplicateWindowSeconds: windows, consecutive: "off" } });
	for (const text of ["1", "2", "3", "4"]) await sendAndSettle(local, ALICE, text);
	expect((await sendText(local, ALICE, "2")).status).toBe(409);
	expect((await sendText(local, ALICE, "1")).status).toBe(202);
});

test("a window that was opened again counts among the youngest", async () => {
	const windows = { contact: 0, agent: 0, account: 60 };
	const local = createSmallGateway({ rules: { duplicateWindowSeconds: windows, consecutive: "off" } });
	for (const text of ["1", "2"]) await sendAndSettle(local, ALICE, text);
	await local.clock.advance(60_000);
	for (const text of ["1", "3", "4"]) await sendAndSettle(local, ALICE, text);
	expect((await sendText(local, ALICE, "1")).status).toBe(409);
});

test("pending work is never dropped: further sends are rejected", async () => {
	const local = createSmallGateway({ deliverTo: () => new Response() });
	for (const last of [1, 2, 3]) expect((await sendText(local, `+1555111000${last}`)).status).toBe(202);
	expect(await outcomeOf(sendText(local, ALICE))).toEqual([503, "SERVICE_UNAVAILABLE"]);
	await local.settled();
	expect((await sendText(local, ALICE)).status).toBe(202);
});

test("messages that wait for their agent count as pending work", async () => {
	const local = createSmallGateway({ agents: [AGENT, "+15550000002"] });
	local.agent(AGENT).goOffline();
	for (const text of ["1", "2", "3"]) await sendAndSettle(local, ALICE, text, { from: AGENT });
	expect((await sendText(local, BOB)).status).toBe(503);
	local.agent(AGENT).goOnline();
	await local.settled();
	expect((await sendText(local, BOB)).status).toBe(202);
});

test("recorded bodies do not fill the memory", () => {
	const traffic = new Traffic(1_000);
	const body = "x".repeat(16 * 1024 * 1024);
	for (const path of ["1", "2", "3", "4", "5"]) {
		traffic.record({ method: "POST", path, query: "", headers: {}, body, at: 0 });
	}
	expect(traffic.records().map(({ path }) => path)).toEqual(["2", "3", "4", "5"]);
});
