import type { LocalGateway, RuleOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	getMapping,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

const createGateway = (rules: RuleOptions = {}) => createFrozenGateway({ rules });

/** Sends texts to a contact, each another one. */
async function sendMany(local: LocalGateway, count: number): Promise<number[]> {
	const statuses: number[] = [];
	for (let number = 0; number < count; number++) {
		statuses.push((await sendText(local, ALICE, `Message ${local.requests.length}`)).status);
	}
	return statuses;
}

test("the sixth message without a reply is rejected, with the counters", async () => {
	const local = createGateway();
	expect(await sendMany(local, 5)).toEqual([202, 202, 202, 202, 202]);
	const { status, body } = await sendText(local, ALICE, "One more");
	expect([status, body.error.code]).toEqual([403, "MAX_CONSECUTIVE_EXCEEDED"]);
	expect(body.error.details).toEqual({
		consecutiveCount: 5,
		maxConsecutiveMessages: 5,
		lastWarningSentAt: local.clock.now(),
		rule: "consecutive",
		option: "rules.maxConsecutiveMessages",
	});
	expect(await getMapping(local, ALICE)).toMatchObject({
		outbound: 5,
		consecutiveCount: 5,
		lastWarningSentAt: local.clock.now(),
	});
	expect((await sendText(local, BOB, "Another contact")).status).toBe(202);
});

test("an inbound message sets the count to 0", async () => {
	const local = createGateway();
	await sendMany(local, 5);
	await local.contact(ALICE).reply("Hi");
	expect((await getMapping(local, ALICE)).consecutiveCount).toBe(0);
	expect(await sendMany(local, 1)).toEqual([202]);
});

test("a reset of the mapping sets the count to 0", async () => {
	const local = createGateway({ maxConsecutiveMessages: 1 });
	await sendMany(local, 1);
	const { body } = await call(local, "POST", pathOf("/mapping", ALICE, "/reset"));
	expect(body.data.mapping).toMatchObject({ consecutiveCount: 0, outbound: 1 });
	expect(await sendMany(local, 1)).toEqual([202]);
});

test("a duplicate is rejected as a duplicate before the count is checked", async () => {
	const local = createGateway({ maxConsecutiveMessages: 1 });
	await sendText(local, ALICE);
	expect((await sendText(local, ALICE)).status).toBe(409);
	expect((await getMapping(local, ALICE)).lastWarningSentAt).toBeNull();
});

describe("modes", () => {
	test("warn: accepted, and marked", async () => {
		const local = createGateway({ consecutive: "warn", maxConsecutiveMessages: 2 });
		await sendMany(local, 2);
		expect((await getMapping(local, ALICE)).lastWarningSentAt).toBeNull();
		expect(await sendMany(local, 1)).toEqual([202]);
		expect(await getMapping(local, ALICE)).toMatchObject({
			consecutiveCount: 3,
			lastWarningSentAt: local.clock.now(),
		});
	});

	test("off: accepted, and not marked", async () => {
		const local = createGateway({ consecutive: "off", maxConsecutiveMessages: 1 });
		expect(await sendMany(local, 3)).toEqual([202, 202, 202]);
		expect((await getMapping(local, ALICE)).lastWarningSentAt).toBeNull();
	});
});

describe("the threshold", () => {
	test("is the option's, then the agent's, then the mapping's", async () => {
		const local = createGateway({ maxConsecutiveMessages: 4 });
		const agentNumber = "+15550000009";
		await call(local, "POST", "/agent", { agentNumber, maxConsecutiveMessages: 3 });
		const create = async (userNumber: string, fields: object) =>
			(await call(local, "POST", "/mapping", { userNumber, ...fields })).body.data.mapping
				.maxConsecutiveMessages;
		expect(await create("+15551110001", { agentNumber: AGENT })).toBe(4);
		expect(await create("+15551110002", { agentNumber })).toBe(3);
		expect(await create("+15551110003", { agentNumber, maxConsecutiveMessages: 2 })).toBe(2);
	});

	test("can be changed on the mapping", async () => {
		const local = createGateway();
		await sendMany(local, 5);
		const { body } = await call(local, "PATCH", pathOf("/mapping", ALICE), { maxConsecutiveMessages: 6 });
		expect(body.data.mapping.maxConsecutiveMessages).toBe(6);
		expect(await sendMany(local, 2)).toEqual([202, 403]);
	});
});
