import { describeHealth, withParentAddress } from "./address.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { describeInconclusive, type Examination, mappingProbe } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import { examineRejection } from "./examine-rejection.ts";
import { type FirstCall, makeFirstCall } from "./first-call.ts";
import type { ProbeEnding, Responded } from "./probe.ts";
import { NONCE_REPEATED } from "./rejection-findings.ts";

/**
 * Finds out whether signed calls are accepted, and in which form.
 * @param suspicion - what the health calls found wrong with the address.
 */
export async function examineSigning(
	examination: Examination,
	suspicion: DiagnosisFinding | undefined,
): Promise<void> {
	const { prober, report, own } = examination;
	const first = await makeFirstCall(examination);
	const { ending, clockOffsetMs } = first;
	report.add(first.clockFinding);
	if (ending.outcome === "no_response" || ending.outcome === "unusable") {
		return blameAddress(examination, suspicion, ending);
	}
	// Every further call would be rejected for that alone.
	if (prober.hasRepeatedNonce) return report.add(NONCE_REPEATED);

	const rejectedStatus = ending.outcome === "rejected" ? 401 : await tryWrongSignature(examination, first);
	if (rejectedStatus === "unclear") return;
	if (rejectedStatus === "ignored") return describeUnchecked(examination, suspicion, ending);
	if (suspicion !== undefined) report.add(describeHealth(suspicion));
	if (ending.read.status === rejectedStatus) return examineRejection(examination, first, ending);

	if (ending.outcome === "forbidden") report.add(NOT_PERMITTED);
	const statuses = { rejectedStatus, acceptedStatus: ending.read.status };
	return examineChoices(examination, { form: own, clockOffsetMs }, statuses);
}

/** Sends a signature that is wrong on purpose: an accepted signature proves something only if a wrong one is rejected. */
async function tryWrongSignature(
	examination: Examination,
	{ clockOffsetMs }: FirstCall,
): Promise<401 | 403 | "ignored" | "unclear"> {
	const { own, prober, report } = examination;
	const signing = { form: own, clockOffsetMs, isForged: true };
	const wrong = await prober.send(mappingProbe(examination, "wrongly_signed", signing));
	if (wrong.outcome === "rejected") return 401;
	if (wrong.outcome === "forbidden") return 403;
	if (wrong.outcome === "accepted") return "ignored";
	report.add(describeInconclusive(examination, wrong));
	return "unclear";
}

/** No signed call has reached a gateway. The findings of the health calls come first: their path is shorter. */
async function blameAddress(
	examination: Examination,
	suspicion: DiagnosisFinding | undefined,
	ending: ProbeEnding,
): Promise<void> {
	const { report } = examination;
	const finding = describeInconclusive(examination, ending);
	report.add(await withParentAddress(examination, suspicion ?? finding));
	if (suspicion !== undefined && suspicion.cause !== finding.cause) report.add(finding);
}

/** A wrong signature gets the same response as a correct one. Only a mapping proves that this is a gateway. */
async function describeUnchecked(
	examination: Examination,
	suspicion: DiagnosisFinding | undefined,
	{ read, where }: Responded,
): Promise<void> {
	const { report } = examination;
	const isMapping = read.success !== undefined;
	if (isMapping) report.isAccepted = true;
	if (!isMapping && suspicion !== undefined) {
		return report.add(await withParentAddress(examination, suspicion));
	}
	const reason = isMapping
		? "it does not check signatures"
		: "it does not check signatures, or the path does not exist and baseUrl is wrong";
	report.add({
		cause: "signature_not_checked",
		certainty: isMapping ? "certain" : "likely",
		isBlocking: !isMapping,
		message: `${where} got ${read.status} with a correct signature and with a wrong one: ${reason}. The signing cannot be tested here.`,
		fix: "That is fine for a stub, but not for a gateway that others can reach. Compare baseUrl with that of the account.",
	});
	if (suspicion !== undefined) report.add(describeHealth(suspicion));
}

const NOT_PERMITTED: DiagnosisFinding = {
	cause: "not_permitted",
	certainty: "certain",
	isBlocking: true,
	message:
		"The signature is correct, since a wrong one is rejected differently, but this app may not read mappings.",
	fix: "Ask who runs the gateway what this app may do, and whether it is blocked.",
};
