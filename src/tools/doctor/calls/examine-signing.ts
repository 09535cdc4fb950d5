import { describeHealth, withParentAddress } from "./address.ts";
import { describeClock, estimateOffset } from "./clock.ts";
import { describeInconclusive, type Examination, isDecisive, sendSigned } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import { type FirstCall, makeFirstCall } from "./first-call.ts";
import { hasEnvelope, markOf, type ProbeEnding, type Responded } from "./probe.ts";
import { readReason } from "./reasons.ts";
import {
	describeNamedReason,
	describeRejections,
	NONCE_REPEATED,
	NOT_CHECKED,
	NOT_PERMITTED,
} from "./rejection-findings.ts";
import { describeUnusable } from "./response-findings.ts";
import { findForm } from "./search.ts";

/**
 * Finds out whether signed calls are accepted, and in which form.
 * @param unhealthy - a response to a health call that is not a healthy gateway's.
 */
export async function examineSigning(
	examination: Examination,
	unhealthy: Responded | undefined,
): Promise<void> {
	const { prober, report, own } = examination;
	const call = await makeFirstCall(examination);
	const { ending, clockOffsetMs, target } = call;
	if (!isDecisive(ending)) {
		if (ending.outcome !== "no_response") addClockFinding(examination, call, false);
		return blameAddress(examination, unhealthy, ending);
	}
	// The gateway would reject every further call for the repeated nonce alone.
	if (prober.hasRepeatedNonce) return report.add(NONCE_REPEATED);
	if (call.isForgedAccepted) {
		// A wrong signature got a mapping: this is a gateway, and it does not check signatures. No form can be proven.
		report.add(NOT_CHECKED);
		if (ending.read.success === undefined) return;
		addClockFinding(examination, call, true);
		report.isAccepted = true;
		return report.add(unhealthy && describeHealth(unhealthy));
	}
	if (ending.outcome === "rejected") return examineRejection(examination, call, ending, unhealthy);
	if (clockOffsetMs !== 0) {
		// The first wrong signature may have been rejected for its time.
		const signing = { form: own, clockOffsetMs, isForged: true };
		const forged = await sendSigned(examination, "wrongly_signed", signing, target);
		if (!isDecisive(forged)) return report.add(describeInconclusive(examination, forged));
		if (forged.read.success !== undefined) return report.add(NOT_CHECKED);
		prober.rejections.add(markOf(forged.read));
		if (markOf(forged.read) === markOf(ending.read)) {
			return examineRejection(examination, call, ending, unhealthy);
		}
	}
	addClockFinding(examination, call, clockOffsetMs === 0);
	if (ending.read.status === 403 && !hasEnvelope(ending.read)) return report.add(describeUnusable(ending));
	if (ending.read.status === 403) report.add(NOT_PERMITTED);
	return examineChoices(examination, { form: own, clockOffsetMs }, { ending, target }, unhealthy);
}

/** Finds out why the client's own signature is rejected, or gets the same response as a wrong one. */
async function examineRejection(
	examination: Examination,
	call: FirstCall,
	ending: Responded,
	unhealthy: Responded | undefined,
): Promise<void> {
	const { report, caller, prober } = examination;
	const { read } = ending;
	// Such a response does not show that a gateway is at this path.
	const isUnseen = read.status === 404 || read.status === 405 || !hasEnvelope(read);
	if (read.status !== 401 && isUnseen && unhealthy !== undefined) {
		return blameAddress(examination, unhealthy, ending);
	}
	prober.rejections.add(markOf(read));
	const health = unhealthy && describeHealth(unhealthy, true);
	if (call.isClockStuck) {
		addClockFinding(examination, call, false);
		report.leaveUntested("The signing: every timestamp is rejected while the clock is so far off.");
		return report.add(health);
	}
	const reason = readReason(read);
	const isNamed = reason === "header" || reason === "nonce";
	const isSigner = caller.options.signer !== undefined;
	const { accepted, clockOffsetMs, forms, cutShort } =
		isNamed || isSigner
			? { accepted: undefined, clockOffsetMs: 0, forms: 1, cutShort: undefined }
			: await findForm(examination, call, reason);
	const isClockFound = accepted?.form === examination.own;
	addClockFinding(examination, isClockFound ? { ...call, isClockProven: true } : call, false);
	if (accepted !== undefined) {
		const { form, ending: found } = accepted;
		const reached = { ending: found, target: call.target };
		return examineChoices(examination, { form, clockOffsetMs }, reached, unhealthy);
	}
	if (cutShort !== undefined) {
		report.add(describeInconclusive(examination, cutShort));
		return report.leaveUntested("The other signing forms: an inconclusive response ended the search.");
	}
	report.add(health);
	const isClockKnown = estimateOffset(prober.samples) !== undefined;
	const context = { forms, isClockKnown, isHealthy: unhealthy === undefined };
	if (isSigner && !isNamed) report.leaveUntested("Other signing forms: the signer may support only one.");
	report.add(describeNamedReason(reason, ending, context) ?? describeRejections(ending, context));
}

function addClockFinding({ prober, report }: Examination, call: FirstCall, isTolerated: boolean): void {
	const { isClockProven, isClockCorrected } = call;
	const offsetMs = estimateOffset(prober.samples);
	report.add(
		describeClock({ offsetMs, isProven: isClockProven, isTolerated, isCorrected: isClockCorrected }),
	);
}

/** No signed call has reached a gateway. The findings of the health calls come first: their path is shorter. */
async function blameAddress(
	examination: Examination,
	unhealthy: Responded | undefined,
	ending: ProbeEnding,
): Promise<void> {
	const { report } = examination;
	const finding = describeInconclusive(examination, ending);
	const suspicion = unhealthy && describeUnusable(unhealthy);
	report.add(await withParentAddress(examination, suspicion ?? finding));
	if (suspicion !== undefined && suspicion.cause !== finding.cause) report.add(finding);
}
