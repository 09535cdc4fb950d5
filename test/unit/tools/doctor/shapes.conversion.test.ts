import { describe, expect, test } from "vitest";
import { listAgents } from "../../../../src/library/catalogue/agents.ts";
import { sendText } from "../../../../src/library/catalogue/sends.ts";
import { readResponse } from "../../../../src/library/client/response.ts";
import { compareResponse } from "../../../../src/tools/doctor/shapes/compare-response.ts";
import { convert } from "../../../../src/tools/doctor/shapes/conversion.ts";
import { expectedFields } from "../../../../src/tools/doctor/shapes/expected-shape.ts";
import { findConversion } from "../../../../src/tools/doctor/shapes/find-conversion.ts";
import { writeProfile } from "../../../../src/tools/doctor/shapes/profile-source.ts";
import { runProfileSource } from "../../../support/diagnosed.ts";

/** A message that differs in every way that is found. */
const MESSAGE = {
	result: {
		item: {
			id: 4711,
			state: "queued",
			payload: "Hello",
			sender: "+15550001111",
			recipient: "+15551234567",
			group_id: null,
			media: [],
			callback_url: null,
			outbound: true,
			acmeMessageNumber: "+15550001111",
			participants: [],
			chatGuid: null,
			messageGuid: null,
			sentAt: "2026-01-01T00:00:00Z",
			error: null,
		},
	},
};

const AGENTS = { items: [{ phone: "+15550001111", name: null, status: "online", createdAt: 1_767_225_600 }] };

describe("the source of a profile does what was tried on the recorded response", () => {
	const later: unknown[] = [
		MESSAGE,
		AGENTS,
		undefined,
		null,
		{},
		[],
		{ result: null, items: null },
		{ result: { item: null }, items: {} },
		{ result: { item: { id: null, sentAt: null, payload: null } }, items: [{ createdAt: null }] },
		{ result: { item: { id: "a", sentAt: "soon" } }, items: [{ phone: 1, createdAt: 2 }, {}] },
	];

	test.each([
		["messages.sendText", sendText, MESSAGE],
		["agents.list", listAgents, AGENTS],
	] as const)("%s", (id, { data: schema }, sample) => {
		const { conversion } = findConversion(expectedFields(schema), sample, { text: "Hello" });
		if (conversion === undefined) throw new Error("nothing to convert was found");
		const source = writeProfile(
			{ signing: undefined, operations: new Map([[id, { conversion }]]) },
			undefined,
		);
		const decode = runProfileSource(source).operations?.[id]?.response?.decode;
		for (const data of later) {
			// Without absent fields, which JSON does not have either.
			expect(JSON.stringify(decode?.(data)), JSON.stringify(data)).toBe(
				JSON.stringify(convert(conversion, data)),
			);
		}
	});
});

test("a message that differs in every way: all its fields are found", () => {
	const { differences } = findConversion(expectedFields(sendText.data), MESSAGE, { text: "Hello" });
	expect(differences.map(({ path, message }) => `${path} ${message}`)).toEqual([
		"message has its fields in data.result.item",
		"message.messageId is called id, and is a number instead of a string",
		"message.status is called state",
		"message.text is called payload",
		"message.from is called sender",
		"message.to is called recipient",
		"message.groupId is called group_id",
		"message.attachments is called media",
		"message.status_callback is called callback_url",
		"message.nativeMessageNumber is called acmeMessageNumber",
		"message.timestamp_ms is called sentAt, and is a date-time string instead of milliseconds",
	]);
});

test("a large response is searched in part", () => {
	const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at % 900}x${at}`, {}]));
	const findIn = (before: object) =>
		findConversion(expectedFields(sendText.data), { ...before, result: MESSAGE.result }).differences;
	const nested = expect.objectContaining({ message: "has its fields in data.result.item" });
	expect(findIn({})).toContainEqual(nested);
	expect(findIn(many)).not.toContainEqual(nested);
});

test("keys of a response that could be numbers or texts are neither shown nor pasted", async () => {
	const hostile = {
		"+15551234567": { text: "Hello", from: "+15550001111" },
		'a"); process.exit(); ("': "Hello",
		"See you at eight": [{ agentNumber: "+15550001111" }],
		n15551234567: "Hello",
		__proto__: "Hello",
	};
	const body = `{"ok":true,"data":${JSON.stringify(hostile).replace("{", '{"__proto__":{"text":"Hello"},')},"meta":{}}`;
	const received = { status: 202, statusText: "", headers: new Headers(), sentAt: 0, receivedAt: 0 };
	const read = readResponse({ ...received, body: new TextEncoder().encode(body) }, 0);
	const sent = { text: "Hello", to: "+15551234567" };
	for (const operation of [sendText, listAgents]) {
		const call = { operation, override: undefined, profile: {}, input: {}, sent, read };
		const { comparison, remedy } = await compareResponse(call, undefined);
		const operations = new Map(remedy === undefined ? [] : [[operation.id, remedy] as const]);
		const shown = JSON.stringify([comparison, writeProfile({ signing: undefined, operations }, undefined)]);
		expect(comparison.verdict).toBe("differs");
		expect(shown).toContain("<key ");
		expect(shown).not.toMatch(/1555|process|eight|Hello|__proto__/);
	}
});
