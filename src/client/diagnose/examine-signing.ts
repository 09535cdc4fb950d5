import { describeHealth, withParentAddress } from "./address.ts";
import type { DiagnosisFinding } from "./diagnosis.ts";
import { describeInconclusive, type Examination, mappingProbe } from "./examination.ts";
import { examineChoices } from "./examine-choices.ts";
import { examineRefusal } from "./examine-refusal.ts";
import { type FirstCall, makeFirstCall } from "./first-call.ts";
import type { ProbeEnding, Responded } from "./probe.ts";
import { NONCE_REPEATED } from "./refusal-findings.ts";

/**
 * Finds out whether signed calls come through, and in which form.
 * @param suspicion - what the health calls said against the address.
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
	// Every further call would be refused for that alone.
	if (prober.hasRepeatedNonce) return report.add(NONCE_REPEATED);

	const refusedStatus = ending.outcome === "refused" ? 401 : await tryWrongSignature(examination, first);
	if (refusedStatus === "unclear") return;
	if (refusedStatus === "ignored") return describeUnchecked(examination, suspicion, ending);
	if (suspicion !== undefined) report.add(describeHealth(suspicion));
	if (ending.read.status === refusedStatus) return examineRefusal(examination, first, ending);

	if (ending.outcome === "forbidden") report.add(NOT_PERMITTED);
	const statuses = { refusedStatus, acceptedStatus: ending.read.status };
	return examineChoices(examination, { form: own, clockOffsetMs }, statuses);
}

/** Sends a signature that is wrong on purpose: only where that is refused does a right one prove anything. */
async function tryWrongSignature(
	examination: Examination,
	{ clockOffsetMs }: FirstCall,
): Promise<401 | 403 | "ignored" | "unclear"> {
	const { own, prober, report } = examination;
	const signing = { form: own, clockOffsetMs, isForged: true };
	const wrong = await prober.send(mappingProbe(examination, "wrongly_signed", signing));
	if (wrong.outcome === "refused") return 401;
	if (wrong.outcome === "forbidden") return 403;
	if (wrong.outcome === "accepted") return "ignored";
	report.add(describeInconclusive(examination, wrong));
	return "unclear";
}

/** No signed call has reached a gateway. What the health calls said comes first: their path is the shorter one. */
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

/** A wrong signature is as good as a right one. Only a mapping proves that there is a gateway all the same. */
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
		: "it does not check signatures, or it has no such path and baseUrl is wrong";
	report.add({
		cause: "signature_not_checked",
		certainty: isMapping ? "certain" : "likely",
		isBlocking: !isMapping,
		message: `${where} is answered ${read.status} with a right signature and with a wrong one: ${reason}. Nothing can be learned of the signing here.`,
		fix: "A stub may do so; a gateway that others can reach must not. Compare baseUrl with that of the account.",
	});
	if (suspicion !== undefined) report.add(describeHealth(suspicion));
}

const NOT_PERMITTED: DiagnosisFinding = {
	cause: "not_permitted",
	certainty: "certain",
	isBlocking: true,
	message: "The signature is right, as a wrong one is refused otherwise, but this app may not read mappings.",
	fix: "Ask who runs the gateway what this app may do, and whether it is blocked.",
};
