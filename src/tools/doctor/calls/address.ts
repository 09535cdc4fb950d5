import { isLoopback } from "../../../library/signing/loopback.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { describeInconclusive, type Examination } from "./examination.ts";
import { explainNoResponse } from "./network-findings.ts";
import type { Probe, Responded } from "./probe.ts";
import { blameProxy, noteProxy } from "./proxy-findings.ts";
import { describeProbeResponse, describeUnusable } from "./response-findings.ts";

/** The first call also sets up the connection; the median of three is a typical latency. */
const HEALTH_CALLS = 3;
/** A base URL rarely has more path segments. */
const MAX_PARENTS = 3;

const PLAIN_HTTP: DiagnosisFinding = {
	cause: "plain_http",
	certainty: "certain",
	isBlocking: false,
	message: "baseUrl is plain http to another machine: numbers and texts can be read in transit.",
	fix: "Use https, unless all traffic stays in a private network. Over http the client doesn't correct its clock either.",
};

/** The result of the health calls. */
export interface AddressResult {
	/** Whether there was a response. */
	readonly hasResponse: boolean;
	/** A response that is not a healthy gateway's. */
	readonly unhealthy: Responded | undefined;
}

/** Calls `GET /health` a few times, or once if the response is not a healthy gateway's. */
export async function examineAddress(examination: Examination): Promise<AddressResult> {
	const { prober, report } = examination;
	const { protocol, hostname } = new URL(prober.baseUrl);
	const { proxy } = prober;
	if (protocol !== "https:" && !isLoopback(hostname)) report.add(PLAIN_HTTP);
	const probe = healthProbe(examination, "health");
	for (let call = 0; call < HEALTH_CALLS; call++) {
		const ending = await prober.send(probe);
		if (ending.outcome === "no_response") {
			const finding = describeInconclusive(examination, ending);
			if (proxy !== undefined && isLoopback(hostname)) await compareWithDirect(examination, finding);
			else report.add(finding);
			return { hasResponse: false, unhealthy: undefined };
		}
		if (call === 0 && proxy !== undefined && isLoopback(hostname)) report.add(noteProxy(hostname, proxy));
		if (ending.outcome !== "accepted") return { hasResponse: true, unhealthy: ending };
	}
	return { hasResponse: true, unhealthy: undefined };
}

/** Adds what failed through a proxy, and whether the address of this machine responds without it. */
async function compareWithDirect(examination: Examination, proxied: DiagnosisFinding): Promise<void> {
	const { prober, report } = examination;
	const ending = await prober.send({ ...healthProbe(examination, "health_without_proxy"), isDirect: true });
	if (ending.outcome === "no_response") {
		const { timeoutMs } = prober;
		report.add(explainNoResponse(ending, { timeoutMs, hasResponses: false }));
		report.add(proxied);
		return;
	}
	report.add(blameProxy(proxied, new URL(prober.baseUrl)));
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
			return { ...finding, fix: `Set baseUrl to ${baseUrl}, at which /health responds as a gateway's does.` };
		}
	}
	return finding;
}

/** The finding for a health call that fails, beside what signed calls show. */
export function describeHealth(unhealthy: Responded, areCallsRejected = false): DiagnosisFinding {
	const { status } = unhealthy.read;
	const calls = areCallsRejected ? "" : ", while signed calls reach the gateway";
	const fix =
		status === 401 || status === 403
			? "If the gateway wants a signature there, only health.check fails; the specification requires none (section 4.3)."
			: status === 404 || unhealthy.read.isPage
				? 'If the health endpoint has another path, set profile.operations["health.check"].path; otherwise only health.check fails.'
				: describeUnusable(unhealthy).fix;
	return {
		cause: "health_unavailable",
		certainty: "certain",
		isBlocking: false,
		message: `${describeProbeResponse(unhealthy)}${calls}.`,
		fix,
	};
}

function healthProbe({ health }: Examination, purpose: DiagnosisProbe): Probe {
	return { purpose, target: health };
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
