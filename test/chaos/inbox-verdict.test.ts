import { expect, test } from "vitest";
import { judgeInbox } from "./inbox-verdict.ts";

function judge(effects: number, isRecorded: boolean, isAcknowledged = true): string[] {
	const verdict = judgeInbox({
		events: [{ eventId: "evt_1", isAcknowledged }],
		effects: Array(effects).fill("evt_1"),
		records: isRecorded ? ["evt_1"] : [],
	});
	return Object.entries(verdict).flatMap(([name, ids]) => (ids.length > 0 ? [name] : []));
}

test.each([
	["one effect and a record", judge(1, true), []],
	["two effects", judge(2, true), ["doubled"]],
	["a record without an effect", judge(0, true), ["lost", "torn"]],
	["an effect without a record", judge(1, false), ["torn"]],
	["neither, although it was acknowledged", judge(0, false), ["lost"]],
	["what the sender still repeats", judge(1, true, false), ["lost"]],
])("%s", (_name, found, expected) => {
	expect(found).toEqual(expected);
});
