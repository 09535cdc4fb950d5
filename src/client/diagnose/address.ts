import { checkHealth } from "../../catalogue/health.ts";
import { isLoopback } from "../../signing/loopback.ts";
import { describeUnusable } from "./answer-findings.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { describeInconclusive, type Examination, toReadOnly } from "./examination.ts";
import type { Probe } from "./probe.ts";

/** One is slow for setting up the connection, so that the median of three is an ordinary one. */
const HEALTH_CALLS = 3;
/** A base address has seldom more segments. */
const MAX_PARENTS = 3;

/** What the health calls have shown. */
export interface AddressResult {
	/** Whether there is an answer to go on from. */
	readonly isAnswered: boolean;
	/** What speaks against the address, unless a signed call comes through all the same. */
	readonly suspicion: DiagnosisFinding | undefined;
}

/** Calls for the health a few times, or once where the answer is not a healthy gateway's. */
export async function examineAddress(examination: Examination): Promise<AddressResult> {
	const { prober, report } = examination;
	report.add(describePlainHttp(prober.baseUrl));
	const probe = healthProbe(examination, "health");
	for (let call = 0; call < HEALTH_CALLS; call++) {
		const ending = await prober.send(probe);
		if (ending.outcome === "no_response") {
			report.add(describeInconclusive(examination, ending));
			return { isAnswered: false, suspicion: undefined };
		}
		if (ending.outcome !== "accepted") return { isAnswered: true, suspicion: describeUnusable(ending) };
	}
	return { isAnswered: true, suspicion: undefined };
}

/** The finding, with the shorter path of the same host where the gateway is healthy, if there is one. */
export async function withParentAddress(
	examination: Examination,
	finding: DiagnosisFinding,
): Promise<DiagnosisFinding> {
	const mayBeBelow = ["wrong_base_path", "html_response", "not_the_gateway"].includes(finding.cause);
	for (const baseUrl of mayBeBelow ? parentsOf(examination.prober.baseUrl) : []) {
		const probe = { ...healthProbe(examination, "health_of_parent"), baseUrl };
		const ending = await examination.prober.send(probe);
		if (ending.outcome === "accepted") {
			return { ...finding, fix: `Set baseUrl to ${baseUrl}, where the gateway is healthy.` };
		}
	}
	return finding;
}

/** What a health call that does not work means where signed calls do. */
export function describeHealth(suspicion: DiagnosisFinding): DiagnosisFinding {
	return {
		cause: "health_unavailable",
		certainty: "certain",
		isBlocking: false,
		message: `${suspicion.message} Signed calls reach the gateway all the same.`,
		fix: ["wrong_base_path", "html_response"].includes(suspicion.cause)
			? 'If its health has another path, set profile.operations["health.check"].path; otherwise only health.check fails.'
			: suspicion.fix,
	};
}

function healthProbe({ state }: Examination, purpose: DiagnosisProbe): Probe {
	const parts = toReadOnly(checkHealth, {}, state.profile?.operations?.["health.check"]);
	return { purpose, operationId: "health.check", parts };
}

/** The base address without its last segment, without its last two, and so on. */
function parentsOf(baseUrl: string): string[] {
	const { origin } = new URL(baseUrl);
	const parents: string[] = [];
	let parent = baseUrl;
	while (parent !== origin && parents.length < MAX_PARENTS) {
		parent = parent.slice(0, parent.lastIndexOf("/"));
		parents.push(parent);
	}
	return parents;
}

function describePlainHttp(baseUrl: string): DiagnosisFinding | undefined {
	const { protocol, hostname } = new URL(baseUrl);
	if (protocol === "https:" || isLoopback(hostname)) return undefined;
	return {
		cause: "plain_http",
		certainty: "certain",
		isBlocking: false,
		message: "baseUrl is plain http to another machine: numbers and texts can be read on the way.",
		fix: "Use https, unless nothing but a private network lies in between. Over http the clock is not corrected either.",
	};
}
