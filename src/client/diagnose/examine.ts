import { examineAddress } from "./address.ts";
import { type Examination, mappingProbe } from "./examination.ts";
import { examineSigning } from "./examine-signing.ts";

/**
 * Runs all steps of a diagnosis, one request after the other. Each step adds to the report, so a diagnosis that is cut
 * short still has the earlier findings.
 */
export async function examine(examination: Examination): Promise<void> {
	const { prober, own } = examination;
	await prober.rehearse(mappingProbe(examination, "signed", { form: own, clockOffsetMs: 0 }));
	const { hasResponse, suspicion } = await examineAddress(examination);
	if (hasResponse) await examineSigning(examination, suspicion);
}
