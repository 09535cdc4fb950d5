import { describeHealth, withParentAddress } from "./address.ts";
import { describeClock, estimateOffset } from "./clock.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { describeInconclusive, type Examination, sendSigned } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import { type FirstCall, makeFirstCall } from "./first-call.ts";
import { hasEnvelope, isConclusive, markOf, type ProbeEnding, type Responded } from "./probe.ts";
import { readReason } from "./reasons.ts";
import {
	describeNamedReason,
	describeRejections,
	NONCE_REPEATED,
	NOT_PERMITTED,
} from "./rejection-findings.ts";
import { describeUnusable } from "./response-findings.ts";
import { findForm, findRewriting } from "./search.ts";

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
	const { ending, clockOffsetMs } = call;
	if (ending.outcome === "no_response" || !isConclusive(ending.read)) {
		if (ending.outcome !== "no_response") addClockFinding(examination, call, false);
		return blameAddress(examination, unhealthy, ending);
	}
	// The gateway would reject every further call for the repeated nonce alone.
	if (prober.hasRepeatedNonce) return report.add(NONCE_REPEATED);

	const isRejected = ending.read.status === 401 || (await isLikeWrongSignature(examination, call, ending));
	if (isRejected === undefined) return;
	if (isRejected && ending.read.success !== undefined) {
		// A wrong signature got a mapping too: this is a gateway, and it does not check signatures.
		addClockFinding(examination, call, true);
		report.isAccepted = true;
		report.add(NOT_CHECKED);
		return report.add(unhealthy && describeHealth(unhealthy));
	}
	if (isRejected) return examineRejection(examination, call, ending, unhealthy);

	addClockFinding(examination, call, clockOffsetMs === 0);
	if (ending.read.status === 403 && !hasEnvelope(ending.read)) return report.add(describeUnusable(ending));
	if (ending.read.status === 403) report.add(NOT_PERMITTED);
	return examineChoices(examination, { form: own, clockOffsetMs }, ending, unhealthy);
}

/**
 * Sends a signature that is wrong on purpose: an accepted signature proves something only if a wrong one gets another
 * response.
 * @returns whether it got the same response; `undefined` if its response is inconclusive, which is then reported.
 */
async function isLikeWrongSignature(
	examination: Examination,
	{ clockOffsetMs }: FirstCall,
	{ read }: Responded,
): Promise<boolean | undefined> {
	const { own, prober, report } = examination;
	const wrong = await sendSigned(examination, "wrongly_signed", { form: own, clockOffsetMs, isForged: true });
	if (wrong.outcome === "no_response" || !isConclusive(wrong.read)) {
		report.add(describeInconclusive(examination, wrong));
		return undefined;
	}
	const isSame = markOf(wrong.read) === markOf(read);
	if (wrong.read.success !== undefined && !isSame) {
		report.add(NOT_CHECKED);
		return undefined;
	}
	prober.rejection = markOf(wrong.read);
	return isSame;
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
	prober.rejection ??= markOf(read);
	const health = unhealthy && describeHealth(unhealthy, true);
	if (call.isClockStuck) {
		addClockFinding(examination, call, false);
		report.leaveUntested("The signing: every timestamp is rejected while the clock is so far off.");
		return report.add(health);
	}
	const reason = readReason(read);
	const isClockKnown = estimateOffset(prober.samples) !== undefined;
	const isNamed = reason === "header" || reason === "nonce";
	const canSearch = caller.options.signer === undefined && !isNamed;
	const { accepted, clockOffsetMs, forms, cutShort } = canSearch
		? await findForm(examination, call, reason)
		: { accepted: undefined, clockOffsetMs: 0, forms: 1, cutShort: undefined };
	const isClockFound = accepted?.form === examination.own;
	addClockFinding(examination, isClockFound ? { ...call, isClockProven: true } : call, false);
	if (accepted !== undefined) {
		return examineChoices(examination, { form: accepted.form, clockOffsetMs }, accepted.ending, unhealthy);
	}
	if (cutShort !== undefined) {
		report.add(describeInconclusive(examination, cutShort));
		return report.leaveUntested("The other signing forms: an inconclusive response ended the search.");
	}
	report.add(health);
	const context = { forms, isClockKnown, isHealthy: unhealthy === undefined };
	if (!canSearch && !isNamed) report.leaveUntested("Other signing forms: the signer may support only one.");
	const rewriting = canSearch ? await findRewriting(examination, clockOffsetMs) : undefined;
	report.add(
		rewriting ?? describeNamedReason(reason, ending, context) ?? describeRejections(ending, context),
	);
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

const NOT_CHECKED: DiagnosisFinding = {
	cause: "signature_not_checked",
	certainty: "certain",
	isBlocking: false,
	message: "A wrong signature got data: signatures are not checked, so the signing cannot be tested here.",
	fix: "That is fine for a stub, but not for a gateway that others can reach. Compare baseUrl with that of the account.",
};
