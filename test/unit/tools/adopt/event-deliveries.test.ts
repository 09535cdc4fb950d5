import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
	type CheckedEvents,
	checkDeliveries,
	type SavedDelivery,
} from "../../../../src/tools/adopt/events/check-deliveries.ts";
import type { PlannedEvent } from "../../../../src/tools/adopt/events/event-types.ts";
import { planEvents } from "../../../../src/tools/adopt/events/plan-events.ts";
import { readEventHints } from "../../../../src/tools/adopt/events/read-event-hints.ts";
import { readEvents } from "../../../../src/tools/adopt/events/read-events.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";

const FOLDER = new URL("../../../support/gateway-events/", import.meta.url);

const document = (file: string) => parse(readFileSync(new URL(file, FOLDER), "utf8"));

function saved(payload: unknown, file = "delivery.json"): SavedDelivery {
	const body = new TextEncoder().encode(JSON.stringify(payload));
	return { file, body, payload: Array.isArray(payload) ? undefined : (payload as Record<string, unknown>) };
}

function check(of: unknown, payloads: readonly unknown[], settings: readonly string[] = [], maps?: unknown) {
	const { events: hints } = readEventHints(settings, maps, (problem) => new RangeError(problem));
	const written = readEvents(of);
	const deliveries = payloads.map((payload, at) => saved(payload, `delivery-${at}.json`));
	return checkDeliveries(written, planEvents(written, hints), { saved: deliveries, hints });
}

const kindOf = ({ events }: CheckedEvents, kind: PlannedEvent["kind"]) =>
	events.filter((event) => event.kind === kind);

/** Two payloads of the same document: a message, and a status that was read. */
const SPLIT = document("split-statuses.yaml");
const [MESSAGE, READ] = SPLIT["x-events"].map(({ payload }: { payload: unknown }) => payload);

describe("a saved delivery", () => {
	test("that fits is noted, and the event stays likely", () => {
		const checked = check(SPLIT, [MESSAGE, READ]);
		expect(checked.deliveries.map(({ kind, issues }) => [kind, issues])).toEqual([
			["inbound_message", []],
			["status", []],
		]);
		expect(kindOf(checked, "inbound_message")).toMatchObject([
			{ certainty: "likely", source: "document", notes: expect.arrayContaining(["fits delivery-0.json"]) },
		]);
		expect(kindOf(checked, "status")[0]?.notes).toContain("fits delivery-1.json");
	});

	test("says which fields were absent", () => {
		const { participants: _, ...payload } = inboundMessage;
		expect(check({}, [payload]).deliveries).toEqual([
			{ file: "delivery-0.json", kind: "inbound_message", filled: ["participants"], issues: [] },
		]);
	});

	test("with other names than the document's wins", () => {
		const { message, sender, ...data } = MESSAGE.data;
		const renamed = { ...MESSAGE, data: { ...data, message: { id: "m1", text: "Hi" }, from: sender } };
		const checked = check(SPLIT, [renamed]);
		expect(checked.deliveries).toMatchObject([{ kind: "inbound_message", issues: [] }]);
		expect(kindOf(checked, "inbound_message")).toMatchObject([
			{
				certainty: "likely",
				source: "delivery",
				map: { fields: { from: "data.from.phone_number", text: "data.message.text" } },
			},
		]);
	});

	test("of one status leaves the document's others as they are", () => {
		const { sender, ...data } = READ.data;
		const checked = check(SPLIT, [{ ...READ, data: { ...data, source: sender } }]);
		expect(kindOf(checked, "status").map(({ source, map }) => [source, map?.when])).toEqual([
			["delivery", { event_type: "message.read" }],
			["document", { event_type: ["message.sent", "message.delivered", "message.failed"] }],
		]);
	});

	test("that leaves two possible contacts opens the event", () => {
		const { sender, ...data } = MESSAGE.data;
		const twice = { ...data, from: sender, source: { phone: "+15557654321" } };
		const checked = check(SPLIT, [{ ...MESSAGE, data: twice }]);
		expect(kindOf(checked, "inbound_message")).toMatchObject([
			{
				certainty: "open",
				map: undefined,
				questions: [{ message: "from: data.from.phone_number or data.source.phone?" }],
			},
		]);
		expect(checked.deliveries).toMatchObject([{ kind: "unknown" }]);
	});

	test("shows that a time is in seconds, and that a number is none", () => {
		const type = "inbound_message.received";
		const sms = (names: object) => ({
			event: type,
			sms: { text: "Hi", to: "+15550000001", message_id: "m1", ...names },
		});
		const timed = check({}, [sms({ from: "+15551234567", timestamp: 1767225600 })]);
		expect(kindOf(timed, "inbound_message")).toMatchObject([
			{ certainty: "likely", map: { fields: { timestamp_ms: { at: "sms.timestamp", unit: "s" } } } },
		]);
		const strange = check({}, [sms({ from: "ana", timestamp: 1767225600123 })]);
		expect(kindOf(strange, "inbound_message")).toMatchObject([{ certainty: "open", map: undefined }]);
	});

	test("without a document plans its own event", () => {
		const checked = check(undefined, [MESSAGE]);
		expect(checked.deliveries).toMatchObject([{ kind: "inbound_message", issues: [] }]);
		expect(checked.events).toMatchObject([
			{ kind: "inbound_message", certainty: "likely", source: "delivery" },
		]);
	});

	test("of an array, or of no kind, stays unknown", () => {
		const checked = check(SPLIT, [[MESSAGE, MESSAGE], { hello: "world" }]);
		expect(checked.deliveries).toEqual([
			{
				file: "delivery-0.json",
				kind: "unknown",
				filled: [],
				issues: ["the body is an array of 2 events, which have one event id together"],
			},
			{
				file: "delivery-1.json",
				kind: "unknown",
				filled: [],
				issues: ["no map fits it, and it is no documented event"],
			},
		]);
	});

	test("never replaces a map of the user's", () => {
		const map = [
			{ kind: "inbound_message", when: { event_type: "message.received" }, root: "data", fields: {} },
		];
		const checked = check(SPLIT, [MESSAGE], [], { events: { map } });
		expect(checked.events).toMatchObject([{ source: "flags", map: map[0] }]);
		expect(checked.deliveries[0]?.issues).toContain("text is missing");
	});

	test("leaves none of its values in what is found", () => {
		const private_ = {
			...MESSAGE,
			secret: "4111-secret",
			data: { ...MESSAGE.data, type: "+15559990000", kind: "meet received" },
		};
		const text = JSON.stringify(
			check(SPLIT, [private_, READ, { ...MESSAGE, event_type: "+15559990000 received" }]),
		);
		expect(text).not.toMatch(/555\d{4}|4111|Ana|"Hi"|meet/);
	});
});
