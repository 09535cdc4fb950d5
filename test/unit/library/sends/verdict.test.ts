import { expect, test } from "vitest";
import {
	addAttempt,
	applyDecision,
	releaseLease,
	type SendAttempt,
	type SendRecord,
	updateAttempt,
} from "../../../../src/library/sends/record.ts";
import { type SendVerdict, sendAgainAfterMs, verdictOf } from "../../../../src/library/sends/verdict.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { describeEnded } from "./sender-world.ts";

const NOW = 1_767_225_600_000;

const RECORD: SendRecord = {
	id: "id",
	digest: "digest",
	createdAt: NOW,
	leaseEndsAt: NOW,
	attempts: [],
};

function attempt(learned: Partial<SendAttempt>): SendRecord {
	return addAttempt(RECORD, { token: "t", signedBy: NOW, hasCallback: true, ...learned });
}

/** What a verdict follows from, and records with it. */
const EVIDENCE: Readonly<Record<SendVerdict["status"], Readonly<Record<string, readonly SendRecord[]>>>> = {
	accepted: {
		"a 2xx in the gateway's envelope, to any attempt": [
			attempt({ outcome: "accepted" }),
			applyDecision(attempt({ outcome: "accepted" }), "give_up"),
			{ ...attempt({ outcome: "accepted" }), leaseEndsAt: NOW + 1 },
		],
		"a verified status event by an attempt's own status_callback, even failed": [
			attempt({ deliveryStatus: "failed" }),
			attempt({ outcome: "unknown", deliveryStatus: "sent", isWaived: true }),
			attempt({ outcome: "rejected", deliveryStatus: "sent" }),
		],
		"resolveSend(store, key, 'accepted')": [applyDecision(attempt({ outcome: "unknown" }), "accepted")],
	},
	given_up: {
		"resolveSend(store, key, 'give_up')": [
			applyDecision(attempt({ outcome: "unknown" }), "give_up"),
			applyDecision(RECORD, "give_up"),
		],
	},
	in_progress: {
		"a worker holds the lease": [
			{ ...RECORD, leaseEndsAt: NOW + 1 },
			{ ...attempt({}), leaseEndsAt: NOW + 1 },
		],
	},
	unresolved: {
		"an attempt with outcome unknown, or without a recorded end": [
			attempt({ outcome: "unknown" }),
			attempt({}),
			attempt({ outcome: "unknown", mapping: { outbound: 9, inbound: 0, hasEqualSignatures: true } }),
			addAttempt(attempt({ outcome: "unknown" }), {
				token: "u",
				signedBy: NOW,
				hasCallback: true,
				outcome: "rejected",
				errorCode: "duplicate_message",
			}),
		],
	},
	open: {
		"every attempt ended not_sent or rejected, a 409 included": [
			attempt({ outcome: "not_sent" }),
			attempt({ outcome: "rejected", errorCode: "duplicate_message", httpStatus: 409 }),
		],
		"no attempt: the worker died before its posting mark": [RECORD],
		"resolveSend(store, key, 'send_again') after an unresolved attempt": [
			applyDecision(attempt({ outcome: "unknown" }), "send_again"),
			applyDecision(attempt({}), "send_again"),
		],
	},
};

const rows = Object.entries(EVIDENCE).flatMap(([status, records]) =>
	Object.entries(records).map(([evidence, samples]) => ({ status, evidence, samples })),
);

test.each(rows)("$evidence: $status", ({ status, samples }) => {
	for (const record of samples) expect(verdictOf(record, NOW).status).toBe(status);
});

const TWICE = addAttempt(applyDecision(attempt({ outcome: "unknown", errorCode: "timeout" }), "send_again"), {
	token: "u",
	signedBy: NOW - 1,
	hasCallback: true,
});

const VERDICTS: Outcomes<SendRecord | undefined> = {
	"unresolved: unknown, send_again in 599999 ms": {
		"an attempt that was signed a millisecond ago": attempt({ outcome: "unknown", signedBy: NOW - 1 }),
	},
	"unresolved: unknown, send_again in 0 ms": {
		"an attempt that was signed long ago": attempt({ outcome: "unknown", signedBy: 0 }),
	},
	"unresolved: no end, send_again in 600000 ms": {
		"a second attempt beside one that is waived: the last signing counts": TWICE,
	},
	"unresolved: unknown connection_failed, send_again in 600000 ms": {
		"what is learned of the second attempt says nothing of the first": updateAttempt(TWICE, "u", {
			outcome: "unknown",
			errorCode: "connection_failed",
		}),
	},
	"unresolved: unknown timeout and unknown aborted without callback, send_again in 600000 ms": {
		"two attempts": addAttempt(attempt({ outcome: "unknown", errorCode: "timeout" }), {
			token: "u",
			signedBy: NOW,
			hasCallback: false,
			outcome: "unknown",
			errorCode: "aborted",
		}),
	},
	undefined: {
		"an attempt of another record": updateAttempt(TWICE, "v", { outcome: "accepted" }),
		"an attempt that was accepted already": updateAttempt(attempt({ outcome: "accepted" }), "t", {
			outcome: "unknown",
		}),
	},
	"in progress for 2 ms": {
		"a lease that is another one by now": releaseLease({ ...RECORD, leaseEndsAt: NOW + 2 }, NOW + 1),
	},
	open: {
		"a lease that is released": releaseLease({ ...RECORD, leaseEndsAt: NOW + 1 }, NOW + 1),
		"a lease that ends now": RECORD,
		"give_up, and send_again": applyDecision(applyDecision(RECORD, "give_up"), "send_again"),
		"a rejection, and send_again": applyDecision(attempt({ outcome: "rejected" }), "send_again"),
	},
};

testOutcomes(VERDICTS, (record) => describeEnded(record && verdictOf(record, NOW)));

test("an attempt that was certainly not accepted makes nobody wait, and is not waived", () => {
	const rejected = attempt({ outcome: "rejected" });
	expect(sendAgainAfterMs(rejected, NOW)).toBe(0);
	expect(sendAgainAfterMs(RECORD, NOW)).toBe(0);
	expect(applyDecision(rejected, "send_again")).toEqual(rejected);
});
