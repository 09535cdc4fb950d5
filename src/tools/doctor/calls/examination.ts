import { defineOperation } from "../../../library/catalogue/operation.ts";
import type { OperationProfile, Profile } from "../../../library/catalogue/profile.ts";
import { ConfigurationError } from "../../../library/errors.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { explainNoResponse } from "./network-findings.ts";
import { isConclusive, type ProbeEnding, type ProbeTarget, type Responded, type Signing } from "./probe.ts";
import { ANYTHING, type ClientCaller, type Prober } from "./prober.ts";
import type { DiagnosisReport } from "./report.ts";
import { describeUnusable } from "./response-findings.ts";
import { type SigningForm, toForm } from "./signing-form.ts";

/** The context of all steps of a diagnosis. */
export interface Examination {
	readonly caller: ClientCaller;
	readonly prober: Prober;
	readonly report: DiagnosisReport;
	/** The client's signing form. */
	readonly own: SigningForm;
	readonly health: ProbeTarget;
	/** The request for the mapping. */
	readonly mapping: ProbeTarget;
	/** The same for a contact in whose path nothing is escaped. */
	readonly plainMapping: ProbeTarget;
	/** The same with a space behind the plus; `undefined` if nothing of the contact is escaped. */
	readonly spacedMapping: ProbeTarget | undefined;
	/** The same for a contact that nobody has, with a space, and with a character whose escape has a letter. */
	readonly oddMapping: ProbeTarget;
	/** Where bodies are posted. */
	readonly settings: ProbeTarget;
	/** Whether the base URL has a path. */
	readonly hasBasePath: boolean;
	readonly probeBody: boolean;
}

/** Creates the context; nothing is sent. */
export function createExamination(
	caller: ClientCaller,
	prober: Prober,
	report: DiagnosisReport,
	{ probeNumber, probeBody }: { probeNumber: string; probeBody: boolean },
): Examination {
	const { profile } = caller;
	const mappingOf = (toNumber: string): ProbeTarget => toReadOnly("mappings.get", { toNumber }, profile);
	const plain = probeNumber.replace(/[^\w.-]/g, "");
	return {
		caller,
		prober,
		report,
		own: toForm(profile?.signing),
		health: toReadOnly("health.check", {}, profile),
		mapping: mappingOf(probeNumber),
		plainMapping: mappingOf(plain),
		oddMapping: mappingOf(`${plain} |`),
		spacedMapping: plain === probeNumber ? undefined : mappingOf(probeNumber.replace(/[+@]/, "$& ")),
		settings: { ...routeUnder("settings.setWebhooks", profile), fields: {} },
		hasBasePath: new URL(prober.baseUrl).pathname !== "/",
		probeBody,
	};
}

/** The routes that the specification shows (sections 4.1 to 4.3). */
const ROUTES = {
	"health.check": { method: "GET", path: "/health" },
	"mappings.get": { method: "GET", path: "/mapping/{toNumber}" },
	"settings.setWebhooks": { method: "POST", path: "/settings/webhooks" },
} as const;

function routeUnder(operationId: ProbeTarget["operationId"], profile: Profile | undefined) {
	const { method, path }: OperationProfile = profile?.operations?.[operationId] ?? {};
	const route = ROUTES[operationId];
	return { operationId, method: method ?? route.method, path: path ?? route.path };
}

/**
 * The request of an operation that only reads.
 * @throws ConfigurationError if the profile gives it another method, since that might change something.
 */
function toReadOnly(
	operationId: ProbeTarget["operationId"],
	input: Record<string, unknown>,
	profile: Profile | undefined,
): ProbeTarget {
	const override = profile?.operations?.[operationId];
	const operation = defineOperation({
		id: operationId,
		...ROUTES[operationId],
		input: ANYTHING,
		data: ANYTHING,
	});
	const mapped = profile?.mapper?.routeOf(operation, override, input);
	const { method, path } =
		mapped === undefined
			? routeUnder(operationId, profile)
			: { method: mapped.method, path: mapped.pathTemplate };
	if (method !== "GET") {
		throw new ConfigurationError(
			`diagnose only reads, so profile.operations["${operationId}"].method must be GET`,
		);
	}
	if (mapped?.request !== undefined && profile?.mapper !== undefined) {
		const { params, query, headers } = profile.mapper.encode(operation, mapped, input, {
			profile,
			id: undefined,
		});
		return { operationId, method, path, fields: { ...params, ...query }, headers };
	}
	try {
		return { operationId, method, path, fields: override?.request?.encode(input) ?? input };
	} catch {
		throw new ConfigurationError(`profile.operations["${operationId}"].request.encode failed`);
	}
}

/** Makes a signed call for the mapping, or for another target. */
export function sendSigned(
	{ mapping, prober }: Examination,
	purpose: DiagnosisProbe,
	signing: Signing,
	target: ProbeTarget = mapping,
): Promise<ProbeEnding> {
	return prober.send({ purpose, target, signing });
}

/** Whether a signature was accepted. */
export function isSignatureAccepted(
	ending: ProbeEnding,
): ending is Responded & { outcome: "accepted" | "forbidden" } {
	return ending.outcome === "accepted" || ending.outcome === "forbidden";
}

/** Whether a response can depend on the signature. */
export function isDecisive(ending: ProbeEnding): ending is Responded {
	return "read" in ending && isConclusive(ending.read);
}

/** Why a probe proves nothing about signatures. */
export function describeInconclusive({ prober }: Examination, ending: ProbeEnding): DiagnosisFinding {
	return ending.outcome === "no_response" ? explainNoResponse(ending, prober) : describeUnusable(ending);
}
