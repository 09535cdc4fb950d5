import { expect, test } from "vitest";
import { type Entry, toEntry } from "../../../../../src/tools/console/conversations/state/entries.ts";
import { firstSteps } from "../../../../../src/tools/console/conversations/state/first-steps.ts";
import type { Change } from "../../../../../src/tools/control/contract.ts";
import { attemptView, deliveryView, messageView, requestView } from "../../../../support/console-views.ts";

const entry = (change: Change): readonly Entry[] => [toEntry(change)].filter((known) => known !== undefined);
const request = (fields: Parameters<typeof requestView>[0]) =>
	entry({ type: "request", request: requestView(fields) });
const delivery = (fields: Parameters<typeof deliveryView>[0]) =>
	entry({ type: "delivery", delivery: deliveryView(fields) });
const message = (outbound: boolean) => entry({ type: "message", message: messageView({ outbound }) });
const diagnosis = { cause: "signature_not_checked", reason: "", fix: "", remedies: [] } as const;
const attempts = [attemptView({ status: 200 })];

test.each<[steps: string, entries: readonly Entry[]]>([
	["hasCalled", request({ operationId: "agents.list", status: 200 })],
	["hasCalled hasAnswered", delivery({ attempts })],
	["hasWritten", message(false)],
	["none", request({ operationId: "agents.list", status: 401 })],
	["none", request({ operationId: "health.check", status: 200 })],
	["none", request({ status: 404 })],
	["none", delivery({})],
	["none", delivery({ state: "kept" })],
	["none", delivery({ attempts: [attemptView({ status: 500 })] })],
	["none", delivery({ attempts, diagnosis })],
	["none", message(true)],
])("%s: done by %j", (steps, entries) => {
	const done = Object.entries(firstSteps(entries)).flatMap(([name, isDone]) => (isDone ? [name] : []));
	expect(done.join(" ") || "none").toBe(steps);
});
