import { describe, expect, test } from "vitest";
import {
	describeDelivery,
	describeRequest,
	findFailure,
} from "../../../../../src/tools/console/conversations/state/describe-entries.ts";
import type {
	AttemptView,
	FailureDiagnosis,
	RequestView,
} from "../../../../../src/tools/control/contract.ts";
import { CONTACT, deliveryView, messageView } from "./views.ts";

const DIAGNOSIS: FailureDiagnosis = {
	cause: "signature_rejected",
	reason: "The receiver has another secret.",
	fix: "Copy it.",
	remedies: [],
};

const attempt = (fields: Partial<AttemptView>): AttemptView => ({
	at: 0,
	timestamp: 0,
	headers: {},
	...fields,
});

describe("the line of a webhook", () => {
	const nextAttemptAt = new Date(2026, 0, 5, 14, 32, 10).getTime();

	test.each([
		["muted", "200", { state: "delivered", attempts: [attempt({ status: 200 })] }],
		["muted", "204 · 2 attempts", { state: "delivered", attempts: [attempt({}), attempt({ status: 204 })] }],
		["muted", "waiting its turn", {}],
		["warn", "kept: no webhook URL yet", { state: "kept", url: "" }],
		[
			"bad",
			"401 · signature rejected · next attempt due at 14:32:10",
			{ attempts: [attempt({ status: 401 })], diagnosis: DIAGNOSIS, nextAttemptAt },
		],
		[
			"bad",
			"signature rejected · given up after 1 attempt",
			{ state: "failed", attempts: [attempt({ error: "refused" })], diagnosis: DIAGNOSIS },
		],
		["bad", "refused · trying again", { attempts: [attempt({ error: "refused" })] }],
		[
			"warn",
			"200 · signature rejected",
			{ state: "delivered", attempts: [attempt({ status: 200 })], diagnosis: DIAGNOSIS },
		],
	] as const)("is %s: %s", (tone, outcome, fields) => {
		const delivery = deliveryView({ kind: "inbound_message", ...fields });
		expect(describeDelivery(delivery)).toMatchObject({ arrow: "→", name: "inbound_message", tone, outcome });
	});
});

describe("the line of a request", () => {
	const request = (fields: Partial<RequestView>): RequestView => ({
		requestId: "r",
		sequence: 1,
		at: 0,
		method: "GET",
		path: "/nothing",
		durationMs: 1,
		...fields,
	});

	test("has the operation, or else method and path, and the cause", () => {
		expect(describeRequest(request({ status: 200, operationId: "agents.list" }))).toEqual({
			arrow: "←",
			name: "agents.list",
			outcome: "200",
			tone: "muted",
		});
		const diagnosis = { ...DIAGNOSIS, cause: "unknown_path" } as const;
		expect(describeRequest(request({ status: 404, diagnosis }))).toMatchObject({
			name: "GET /nothing",
			outcome: "404 · unknown path",
			tone: "bad",
			reason: DIAGNOSIS.reason,
		});
		expect(describeRequest(request({})).tone).toBe("bad");
	});
});

test("a failure is the reason, or the outcome without one", () => {
	const failed = messageView({ status: "failed" });
	const place = { sequence: 1, conversationKey: CONTACT };
	expect(findFailure({ kind: "message", ...place, message: failed })).toBe("The message failed.");
	expect(findFailure({ kind: "message", ...place, message: messageView() })).toBeUndefined();
	const delivery = deliveryView({ attempts: [attempt({ status: 401 })], diagnosis: DIAGNOSIS });
	expect(findFailure({ kind: "webhook", ...place, delivery })).toBe(DIAGNOSIS.reason);
});
