import type { Examination } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import type { FirstCall } from "./first-call.ts";
import type { Responded } from "./probe.ts";
import {
	describeDroppedHeader,
	describeNonce,
	describeRejections,
	describeTimestamp,
	describeUnknownApp,
	readReason,
} from "./rejection-findings.ts";
import { findForm, findRewriting } from "./search.ts";

/** Finds out why the client's own signature is rejected. */
export async function examineRejection(
	examination: Examination,
	{ clockOffsetMs, isClockStuck, isClockKnown }: FirstCall,
	ending: Responded,
): Promise<void> {
	const { report, caller } = examination;
	if (isClockStuck) {
		return report.leaveUntested("The signing: every timestamp is rejected while the clock is so far off.");
	}
	const reason = readReason(ending.read);
	if (reason === "header") return report.add(describeDroppedHeader(ending));
	if (reason === "nonce") return report.add(describeNonce(ending));
	if (reason === "timestamp") return report.add(describeTimestamp(ending, isClockKnown));
	if (caller.options.signer !== undefined) {
		report.leaveUntested("Other signing forms: the signer may support only one.");
		return report.add(describeRejections(ending, { forms: 1, isClockKnown }));
	}

	const rejectedStatus = ending.read.status;
	const { accepted, forms, isCutShort } = await findForm(examination, clockOffsetMs, rejectedStatus);
	if (accepted !== undefined) {
		const statuses = { rejectedStatus, acceptedStatus: accepted.status };
		return examineChoices(examination, { form: accepted.form, clockOffsetMs }, statuses);
	}
	if (isCutShort)
		return report.leaveUntested("The other signing forms: an inconclusive response ended the search.");
	const rewriting = await findRewriting(examination, clockOffsetMs, rejectedStatus);
	if (rewriting !== undefined) return report.add(rewriting);
	report.add(
		reason === "app_id" ? describeUnknownApp(ending) : describeRejections(ending, { forms, isClockKnown }),
	);
}
