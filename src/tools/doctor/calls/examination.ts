import type { OperationId } from "../../../library/catalogue/index.ts";
import { getMapping } from "../../../library/catalogue/mappings.ts";
import type { Operation } from "../../../library/catalogue/operation.ts";
import type { Profile } from "../../../library/catalogue/profile.ts";
import type { Caller } from "../../../library/client/caller.ts";
import { type RequestParts, splitInput } from "../../../library/client/request.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { explainNoResponse } from "./network-findings.ts";
import type { Probe, ProbeEnding, Responded, Signing } from "./probe.ts";
import type { Prober } from "./prober.ts";
import type { DiagnosisReport } from "./report.ts";
import { describeUnusable } from "./response-findings.ts";
import { type SigningForm, toForm } from "./signing-form.ts";

/** The context of all steps of a diagnosis. */
export interface Examination {
	readonly caller: Caller;
	readonly prober: Prober;
	readonly report: DiagnosisReport;
	/** The client's signing form. */
	readonly own: SigningForm;
	/** The request for the mapping. */
	readonly mapping: RequestParts;
	/** Whether the base URL has a path. */
	readonly hasBasePath: boolean;
	readonly probeBody: boolean;
}

/** Creates the context; nothing is sent. */
export function createExamination(
	caller: Caller,
	prober: Prober,
	report: DiagnosisReport,
	{ probeNumber, probeBody }: { probeNumber: string; probeBody: boolean },
): Examination {
	return {
		caller,
		prober,
		report,
		own: toForm(caller.profile?.signing),
		mapping: toReadOnly(getMapping, { toNumber: probeNumber }, caller.profile),
		hasBasePath: new URL(prober.baseUrl).pathname !== "/",
		probeBody,
	};
}

/**
 * The request of an operation that only reads.
 * @throws ConfigurationError if the profile gives it another method, since that might change something.
 */
export function toReadOnly(
	operation: Operation<unknown, unknown, OperationId>,
	input: Record<string, unknown>,
	profile: Profile | undefined,
): RequestParts {
	const override = profile?.operations?.[operation.id];
	const parts = splitInput(operation, input, override, profile);
	if (parts.method === "GET") return parts;
	throw new ConfigurationError(
		`diagnose only reads, so profile.operations["${operation.id}"].method must be GET`,
	);
}

/** Makes a signed call for the mapping, or one that differs from it in some parts. */
export function sendSigned(
	{ mapping, prober }: Examination,
	purpose: DiagnosisProbe,
	signing: Signing,
	parts: Partial<RequestParts> = {},
): Promise<ProbeEnding> {
	return prober.send(signedProbe(mapping, purpose, signing, parts));
}

/** A signed call for the mapping. */
export function signedProbe(
	mapping: RequestParts,
	purpose: DiagnosisProbe,
	signing: Signing,
	parts: Partial<RequestParts> = {},
): Probe {
	return { purpose, operationId: "mappings.get", parts: { ...mapping, ...parts }, signing };
}

/** Whether a signature was accepted. */
export function isSignatureAccepted(
	ending: ProbeEnding,
): ending is Responded & { outcome: "accepted" | "forbidden" } {
	return ending.outcome === "accepted" || ending.outcome === "forbidden";
}

/** Why a probe proves nothing about signatures. */
export function describeInconclusive({ prober }: Examination, ending: ProbeEnding): DiagnosisFinding {
	return ending.outcome === "no_response" ? explainNoResponse(ending, prober) : describeUnusable(ending);
}
