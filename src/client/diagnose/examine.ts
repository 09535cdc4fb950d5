import { examineAddress } from "./address.ts";
import { type Examination, mappingProbe } from "./examination.ts";
import { examineSigning } from "./examine-signing.ts";

/**
 * All steps of a diagnosis, one request after the other. The report holds what each has shown, so that one
 * that is cut short is still worth reading.
 */
export async function examine(examination: Examination): Promise<void> {
	const { prober, own } = examination;
	await prober.rehearse(mappingProbe(examination, "signed", { form: own, clockOffsetMs: 0 }));
	const { isAnswered, suspicion } = await examineAddress(examination);
	if (isAnswered) await examineSigning(examination, suspicion);
}
