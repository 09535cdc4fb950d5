import { describeHandleProblem } from "../../../library/catalogue/handle.ts";
import type { Profile } from "../../../library/catalogue/profile.ts";
import { assertKnownKeys } from "../../../library/check-options.ts";
import { callerOfClient } from "../../../library/client/bound-caller.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { examineAddress } from "./address.ts";
import type { DiagnoseOptions, Diagnosis, DiagnosisFinding } from "./diagnosis.ts";
import { createExamination } from "./examination.ts";
import { examineSigning } from "./examine-signing.ts";
import { Prober } from "./prober.ts";
import { DiagnosisReport } from "./report.ts";
import type { SigningForm } from "./signing-form.ts";
import { OUT_OF_TIME, TimeLimit } from "./time-limit.ts";

/** Every option, to detect misspelt ones; the type ensures that none is missing here. */
const OPTIONS: Readonly<Record<keyof DiagnoseOptions, true>> = {
	signal: true,
	timeoutMs: true,
	probeBody: true,
	probeNumber: true,
};

/** A number reserved for fiction, in an area code that does not exist. */
const PROBE_NUMBER = "+15555550100";

/** A diagnosis, and the signing form that was accepted, with functions that a diagnosis cannot hold. */
export interface DiagnosisWithForm {
	readonly diagnosis: Diagnosis;
	readonly form: SigningForm | undefined;
}

/** Diagnoses the calls of a client, for a tool that goes on in the form that was found. */
export async function diagnoseWithForm(
	gateway: MessagingGateway,
	options: DiagnoseOptions,
): Promise<DiagnosisWithForm> {
	const caller = callerOfClient(gateway);
	const { probeBody, probeNumber, timeoutMs, signal } = resolveOptions(options, caller.profile);
	const limit = new TimeLimit(caller.clock, timeoutMs, signal);
	try {
		if (limit.signal.aborted) throw limit.signal.reason;
		const prober = new Prober(caller, limit);
		const report = new DiagnosisReport();
		try {
			const examination = createExamination(caller, prober, report, { probeBody, probeNumber });
			const { mapping: target, own: form } = examination;
			await prober.rehearse({ purpose: "signed", target, signing: { form, clockOffsetMs: 0 } });
			// Each step adds to the report, so a diagnosis that is cut short still has the earlier findings.
			const { hasResponse, unhealthy } = await examineAddress(examination);
			if (hasResponse) await examineSigning(examination, unhealthy);
		} catch (thrown) {
			if (thrown !== OUT_OF_TIME) throw thrown;
			report.add(describeTimeout(prober, timeoutMs));
		}
		return { diagnosis: report.conclude(prober, caller.profile), form: report.form };
	} finally {
		limit.release();
	}
}

function resolveOptions(options: DiagnoseOptions, profile: Profile | undefined) {
	assertKnownKeys("the diagnosis's options", options, Object.keys(OPTIONS));
	const { probeBody = false, probeNumber = PROBE_NUMBER, timeoutMs = 30_000, signal } = options;
	if (typeof probeBody !== "boolean") throw new ConfigurationError("probeBody must be true or false");
	if (!(timeoutMs > 0)) throw new ConfigurationError("timeoutMs must be a positive number");
	if (signal !== undefined && typeof signal?.addEventListener !== "function")
		throw new ConfigurationError("signal must be an AbortSignal");
	const problem = describeHandleProblem(probeNumber, profile);
	if (problem !== undefined) throw new ConfigurationError(`probeNumber ${problem}`);
	return { probeBody, probeNumber, timeoutMs, signal };
}

function describeTimeout({ checks, hasResponses }: Prober, timeoutMs: number): DiagnosisFinding {
	const last = checks.at(-1);
	const where = last?.outcome === "no_response" ? `${last.method} ${last.path}` : "signing";
	if (last !== undefined && !hasResponses) {
		return {
			cause: "no_response",
			certainty: "certain",
			isBlocking: true,
			message: `${where} got no response within timeoutMs, ${timeoutMs} ms.`,
			fix: "Check that the gateway is up and that no firewall drops its packets; if it is only slow, raise timeoutMs.",
		};
	}
	return {
		cause: "out_of_time",
		certainty: "certain",
		isBlocking: true,
		message: `timeoutMs, ${timeoutMs} ms, ended during ${where}; the later steps weren't tried.`,
		fix: "Raise timeoutMs, or check whether the signer or the appSecret function is slow.",
	};
}
