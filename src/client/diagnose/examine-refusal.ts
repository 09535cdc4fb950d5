import type { Examination } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import type { FirstCall } from "./first-call.ts";
import type { Responded } from "./probe.ts";
import {
	describeDroppedHeader,
	describeNonce,
	describeRefusals,
	describeTimestamp,
	describeUnknownApp,
	readReason,
} from "./refusal-findings.ts";
import { findForm, findRewriting } from "./search.ts";

/** Finds out why the client's own signature is refused. */
export async function examineRefusal(
	examination: Examination,
	{ clockOffsetMs, isClockStuck, isClockKnown }: FirstCall,
	ending: Responded,
): Promise<void> {
	const { report, state } = examination;
	if (isClockStuck) {
		return report.leaveUntested("The signing: every timestamp is refused while the clock is so far off.");
	}
	const reason = readReason(ending.read);
	if (reason === "header") return report.add(describeDroppedHeader(ending));
	if (reason === "nonce") return report.add(describeNonce(ending));
	if (reason === "timestamp") return report.add(describeTimestamp(ending, isClockKnown));
	if (state.options.signer !== undefined) {
		report.leaveUntested("Other signing forms: a signer may only sign what it knows.");
		return report.add(describeRefusals(ending, { forms: 1, isClockKnown }));
	}

	const refusedStatus = ending.read.status;
	const { accepted, forms, isCutShort } = await findForm(examination, clockOffsetMs, refusedStatus);
	if (accepted !== undefined) {
		const statuses = { refusedStatus, acceptedStatus: accepted.status };
		return examineChoices(examination, { form: accepted.form, clockOffsetMs }, statuses);
	}
	if (isCutShort) return report.leaveUntested("The other signing forms: an answer ended the search.");
	const rewriting = await findRewriting(examination, clockOffsetMs, refusedStatus);
	if (rewriting !== undefined) return report.add(rewriting);
	report.add(
		reason === "app_id" ? describeUnknownApp(ending) : describeRefusals(ending, { forms, isClockKnown }),
	);
}
