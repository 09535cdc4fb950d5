import { expect, test } from "vitest";
import { ALL_STRIKES } from "./inbox-schedule.ts";
import { nameOfStrike } from "./inbox-settings.ts";
import { type InboxRun, judgeInbox } from "./inbox-verdict.ts";
import { verdictOf } from "./report.ts";

const GOOD: InboxRun = {
	counts: {},
	strikes: Object.fromEntries(ALL_STRIKES.map((strike) => [nameOfStrike(strike), 1])),
	events: [{ eventId: "evt_1", isAcknowledged: true }],
	effects: ["evt_1"],
	records: ["evt_1"],
	problems: [],
};

test.each<[string, Partial<InboxRun>, Record<string, number>]>([
	["two effects", { effects: ["evt_1", "evt_1"] }, { doubled: 1 }],
	["a record without an effect", { effects: [] }, { lost: 1, torn: 1 }],
	["an effect without a record", { records: [] }, { torn: 1 }],
	["neither, although it was acknowledged", { effects: [], records: [] }, { lost: 1 }],
	["what the sender still repeats", { events: [{ eventId: "evt_1", isAcknowledged: false }] }, { lost: 1 }],
])("failed: %s", (_name, changes, wrong) => {
	const judgement = judgeInbox({ ...GOOD, ...changes });
	expect(verdictOf(judgement)).toBe("failed");
	expect(judgement.counts).toMatchObject({ lost: 0, doubled: 0, torn: 0, ...wrong });
});

test("failed: a run that broke off, whatever else was proven", () => {
	expect(verdictOf(judgeInbox({ ...GOOD, strikes: {}, problems: ["it does not settle"] }))).toBe("failed");
});

test("held: one effect and a record", () => {
	expect(verdictOf(judgeInbox(GOOD))).toBe("held");
});

test.each(Object.keys(GOOD.strikes))("inconclusive: no %s", (name) => {
	const judgement = judgeInbox({ ...GOOD, strikes: { ...GOOD.strikes, [name]: 0 } });
	expect(verdictOf(judgement)).toBe("inconclusive");
	expect(judgement.inconclusive).toEqual([`no ${name} in 10 tries`]);
});
