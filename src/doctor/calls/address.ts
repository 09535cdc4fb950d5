import { checkHealth } from "../../catalogue/health.ts";
import { isLoopback } from "../../signing/loopback.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { describeInconclusive, type Examination, toReadOnly } from "./examination.ts";
import type { Probe } from "./probe.ts";
import { describeUnusable } from "./response-findings.ts";

/** The first call also sets up the connection; the median of three is a typical latency. */
const HEALTH_CALLS = 3;
/** A base URL rarely has more path segments. */
const MAX_PARENTS = 3;

/** The result of the health calls. */
export interface AddressResult {
	/** Whether there was a response. */
	readonly hasResponse: boolean;
	/** What seems wrong with the address, unless a signed call is accepted anyway. */
	readonly suspicion: DiagnosisFinding | undefined;
}

/** Calls `GET /health` a few times, or once if the response is not a healthy gateway's. */
export async function examineAddress(examination: Examination): Promise<AddressResult> {
	const { prober, report } = examination;
	report.add(describePlainHttp(prober.baseUrl));
	const probe = healthProbe(examination, "health");
	for (let call = 0; call < HEALTH_CALLS; call++) {
		const ending = await prober.send(probe);
		if (ending.outcome === "no_response") {
			report.add(describeInconclusive(examination, ending));
			return { hasResponse: false, suspicion: undefined };
		}
		if (ending.outcome !== "accepted") return { hasResponse: true, suspicion: describeUnusable(ending) };
	}
	return { hasResponse: true, suspicion: undefined };
}

/** The finding, with a shorter path of the same host in its fix if the gateway is healthy there. */
export async function withParentAddress(
	examination: Examination,
	finding: DiagnosisFinding,
): Promise<DiagnosisFinding> {
	const mayBeBelow = ["wrong_base_path", "html_response", "not_the_gateway"].includes(finding.cause);
	for (const baseUrl of mayBeBelow ? parentsOf(examination.prober.baseUrl) : []) {
		const probe = { ...healthProbe(examination, "health_of_parent"), baseUrl };
		const ending = await examination.prober.send(probe);
		if (ending.outcome === "accepted") {
			return { ...finding, fix: `Set baseUrl to ${baseUrl}, at which the gateway is healthy.` };
		}
	}
	return finding;
}

/** The finding for a health call that fails while signed calls work. */
export function describeHealth(suspicion: DiagnosisFinding): DiagnosisFinding {
	return {
		cause: "health_unavailable",
		certainty: "certain",
		isBlocking: false,
		message: `${suspicion.message} Signed calls reach the gateway anyway.`,
		fix: ["wrong_base_path", "html_response"].includes(suspicion.cause)
			? 'If the health endpoint has another path, set profile.operations["health.check"].path; otherwise only health.check fails.'
			: suspicion.fix,
	};
}

function healthProbe({ caller }: Examination, purpose: DiagnosisProbe): Probe {
	const parts = toReadOnly(checkHealth, {}, caller.profile?.operations?.["health.check"]);
	return { purpose, operationId: "health.check", parts };
}

/** The base URL without its last path segment, without its last two, and so on. */
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
		message: "baseUrl is plain http to another machine: numbers and texts can be read in transit.",
		fix: "Use https, unless all traffic stays in a private network. Over http the client does not correct its clock either.",
	};
}
