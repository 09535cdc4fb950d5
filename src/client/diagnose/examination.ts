import { getMapping } from "../../catalogue/mappings.ts";
import type { Operation } from "../../catalogue/operation.ts";
import type { OperationProfile } from "../../catalogue/profile.ts";
import { ConfigurationError } from "../../errors.ts";
import type { ClientState } from "../client-state.ts";
import { type RequestParts, splitInput } from "../request.ts";
import { describeUnusable } from "./answer-findings.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { describeFailure } from "./network-findings.ts";
import type { Probe, ProbeEnding, Responded, Signing } from "./probe.ts";
import type { Prober } from "./prober.ts";
import type { Report } from "./report.ts";
import { type SigningForm, toForm } from "./signing-form.ts";

/** What all steps of a diagnosis work with. */
export interface Examination {
	readonly state: ClientState;
	readonly prober: Prober;
	readonly report: Report;
	/** The form that the client signs in. */
	readonly own: SigningForm;
	/** The request for the mapping. */
	readonly mapping: RequestParts;
	/** Whether the base address has a path of its own. */
	readonly hasBasePath: boolean;
	readonly probeBody: boolean;
}

/** Gathers what the steps need; nothing is sent. */
export function createExamination(
	state: ClientState,
	prober: Prober,
	report: Report,
	{ probeNumber, probeBody }: { probeNumber: string; probeBody: boolean },
): Examination {
	return {
		state,
		prober,
		report,
		own: toForm(state.profile?.signing),
		mapping: toReadOnly(getMapping, { toNumber: probeNumber }, state.profile?.operations?.["mappings.get"]),
		hasBasePath: new URL(prober.baseUrl).pathname !== "/",
		probeBody,
	};
}

/**
 * The request of an operation that only reads.
 * @throws ConfigurationError where the profile gives it another method, since that might do more.
 */
export function toReadOnly(
	operation: Operation<unknown, unknown>,
	input: Record<string, unknown>,
	override: OperationProfile | undefined,
): RequestParts {
	const parts = splitInput(operation, input, override);
	if (parts.method === "GET") return parts;
	throw new ConfigurationError(
		`diagnose only reads, so profile.operations["${operation.id}"].method must be GET`,
	);
}

/** A signed call for the mapping. */
export function mappingProbe(
	{ mapping }: Examination,
	purpose: DiagnosisProbe,
	signing: Signing,
	parts: Partial<RequestParts> = {},
): Probe {
	return { purpose, operationId: "mappings.get", parts: { ...mapping, ...parts }, signing };
}

/** Whether a signature was taken: an answer that only they get who are let in. */
export function isLetIn(ending: ProbeEnding, refusedStatus: number): ending is Responded {
	if (ending.outcome === "accepted") return true;
	return ending.outcome === "forbidden" && ending.read.status !== refusedStatus;
}

/** Whether a signature was not taken. */
export function isRefused(ending: ProbeEnding, refusedStatus: number): ending is Responded {
	const isRefusal = ending.outcome === "refused" || ending.outcome === "forbidden";
	return isRefusal && ending.read.status === refusedStatus;
}

/** Why a probe says nothing of signatures. */
export function describeInconclusive({ prober }: Examination, ending: ProbeEnding): DiagnosisFinding {
	return ending.outcome === "no_response" ? describeFailure(ending, prober) : describeUnusable(ending);
}
