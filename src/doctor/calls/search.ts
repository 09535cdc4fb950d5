import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Examination } from "./examination.ts";
import { describeInconclusive, isAccepted, isRejected, mappingProbe } from "./examination.ts";
import type { ProbeEnding, Signing } from "./probe.ts";
import { formsFor, isDecoded, type SigningForm, withOtherQuery } from "./signing-form.ts";

/** The statuses of a correct and of a wrong signature. */
export interface Statuses {
	readonly rejectedStatus: number;
	readonly acceptedStatus: number;
}

/** The result of a search for the gateway's signing form. */
export interface SearchResult {
	/** The form that was accepted, and the response's status. */
	readonly accepted: { readonly form: SigningForm; readonly status: number } | undefined;
	/** How many forms were tried, the client's own among them. */
	readonly forms: number;
	/** Whether an inconclusive response ended it before all forms were tried. */
	readonly isCutShort: boolean;
}

/** Tries the other signing forms on a call for the mapping, until one is accepted. */
export async function findForm(
	examination: Examination,
	clockOffsetMs: number,
	rejectedStatus: number,
): Promise<SearchResult> {
	const { own, hasBasePath, prober, report } = examination;
	let forms = 1;
	const hasEscapes = examination.mapping.path.includes("%");
	const similar = formsFor(own, { hasBasePath, hasEscapes: hasEscapes && isDecoded(own.path) });
	for (const form of similar.filter(({ timestamp }) => timestamp === own.timestamp).slice(1)) {
		const ending = await prober.send(mappingProbe(examination, "signed", { form, clockOffsetMs }));
		forms += 1;
		if (isAccepted(ending, rejectedStatus)) {
			return { accepted: { form, status: ending.read.status }, forms, isCutShort: false };
		}
		if (isRejected(ending, rejectedStatus)) continue;
		report.add(describeInconclusive(examination, ending));
		return { accepted: undefined, forms, isCutShort: true };
	}
	return { accepted: undefined, forms, isCutShort: false };
}

/** Whether calls are accepted if nothing in their path is escaped. */
export async function findRewriting(
	examination: Examination,
	clockOffsetMs: number,
	rejectedStatus: number,
): Promise<DiagnosisFinding | undefined> {
	const { own, hasBasePath, mapping, prober } = examination;
	const path = mapping.path.replaceAll("%2B", "");
	if (path === mapping.path) return undefined;
	const forms = formsFor(own, { hasBasePath, hasEscapes: false }).filter(
		({ emptyBody, timestamp }) => emptyBody === own.emptyBody && timestamp === own.timestamp,
	);
	for (const form of forms) {
		const signing = { form, clockOffsetMs };
		const ending = await prober.send(mappingProbe(examination, "signed_without_plus", signing, { path }));
		if (isAccepted(ending, rejectedStatus)) return describeRewriting(form.path !== own.path, form);
		if (!isRejected(ending, rejectedStatus)) return undefined;
	}
	return undefined;
}

function describeRewriting(isOtherPath: boolean, { path }: SigningForm): DiagnosisFinding {
	return {
		cause: "path_rewritten",
		certainty: "certain",
		isBlocking: true,
		message:
			"Calls are accepted if nothing in their path is escaped: a proxy turns %2B into a plus, and the signature no longer matches.",
		fix: `Let the proxy forward the path unchanged; with nginx, write proxy_pass without a path.${isOtherPath ? ` It also changes the base path: until that is fixed, set profile.signing.path to "${path}".` : ""}`,
	};
}

/** The result of calls with a query. */
export interface QueryResult {
	/** The choice that was accepted. */
	readonly query?: SigningForm["query"];
	/** The finding, if neither choice is accepted. */
	readonly finding?: DiagnosisFinding;
	/** Whether the responses are inconclusive. */
	readonly isUndecided?: boolean;
}

/** A query that means nothing to the gateway. */
const QUERY = { probe: 1 };

/**
 * Tries a call with a query. The gateway may reject its unknown field; only whether it accepts the signature matters.
 */
export async function findQuery(
	examination: Examination,
	{ form, clockOffsetMs }: Signing,
	{ rejectedStatus, acceptedStatus }: Statuses,
): Promise<QueryResult> {
	const { prober, caller } = examination;
	const send = (tried: SigningForm): Promise<ProbeEnding> => {
		const signing = { form: tried, clockOffsetMs };
		return prober.send(mappingProbe(examination, "signed_with_query", signing, { query: QUERY }));
	};
	const own = await send(form);
	const isOwnAccepted = isAccepted(own, rejectedStatus);
	if (isOwnAccepted && own.read.status === acceptedStatus) return { query: form.query };
	if (!isOwnAccepted && !isRejected(own, rejectedStatus)) return { isUndecided: true };
	if (caller.options.signer !== undefined) {
		return isOwnAccepted ? { isUndecided: true } : { finding: describeSignedQuery(form) };
	}
	// If the client's own form is correct, the other one is a wrong signature, which must be rejected.
	const otherForm = withOtherQuery(form);
	const other = await send(otherForm);
	if (isRejected(other, rejectedStatus))
		return isOwnAccepted ? { query: form.query } : { finding: UNKNOWN_QUERY };
	return !isOwnAccepted && isAccepted(other, rejectedStatus)
		? { query: otherForm.query }
		: { isUndecided: true };
}

const UNKNOWN_QUERY: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"Calls with a query are rejected, whether the query is signed or not, while the same call without a query is accepted.",
	fix: "Ask how the gateway signs a query: sorted, decoded or separately. Until that is known, lists and filters fail.",
};

function describeSignedQuery(form: SigningForm): DiagnosisFinding {
	return {
		cause: "unknown_signing_form",
		certainty: "likely",
		isBlocking: true,
		message: `Calls with a query are rejected, while the same call without one is accepted: profile.signing.query is "${form.query}" here, and the gateway may use the other choice.`,
		fix: `Set profile.signing.query to "${withOtherQuery(form).query}" and diagnose again; it was not tried, since the signer may support only one form.`,
	};
}
