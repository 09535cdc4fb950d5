import type { DiagnosisFinding } from "./diagnosis.ts";
import type { Examination } from "./examination.ts";
import { describeInconclusive, isLetIn, isRefused, mappingProbe } from "./examination.ts";
import type { ProbeEnding, Signing } from "./probe.ts";
import { otherForms, type SigningForm, withOtherPath, withOtherQuery } from "./signing-form.ts";

/** Statuses that tell a right signature from a wrong one. */
export interface Statuses {
	readonly refusedStatus: number;
	readonly acceptedStatus: number;
}

/** What a search for the gateway's form has brought. */
export interface SearchResult {
	/** What was accepted, and with which status. */
	readonly accepted: { readonly form: SigningForm; readonly status: number } | undefined;
	/** How many forms were tried, the client's own among them. */
	readonly forms: number;
	/** Whether an answer ended it before all were tried, which the report tells. */
	readonly isCutShort: boolean;
}

/** Signs a call for the mapping in the other forms, until one is accepted. */
export async function findForm(
	examination: Examination,
	clockOffsetMs: number,
	refusedStatus: number,
): Promise<SearchResult> {
	const { own, hasBasePath, prober, report } = examination;
	let forms = 1;
	for (const form of otherForms(own, hasBasePath)) {
		const ending = await prober.send(mappingProbe(examination, "signed", { form, clockOffsetMs }));
		forms += 1;
		if (isLetIn(ending, refusedStatus)) {
			return { accepted: { form, status: ending.read.status }, forms, isCutShort: false };
		}
		if (isRefused(ending, refusedStatus)) continue;
		report.add(describeInconclusive(examination, ending));
		return { accepted: undefined, forms, isCutShort: true };
	}
	return { accepted: undefined, forms, isCutShort: false };
}

/** Whether calls come through once nothing in their path is escaped. */
export async function findRewriting(
	examination: Examination,
	clockOffsetMs: number,
	refusedStatus: number,
): Promise<DiagnosisFinding | undefined> {
	const { own, hasBasePath, mapping, prober } = examination;
	const path = mapping.path.replaceAll("%2B", "");
	if (path === mapping.path) return undefined;
	for (const form of hasBasePath ? [own, withOtherPath(own)] : [own]) {
		const signing = { form, clockOffsetMs };
		const ending = await prober.send(mappingProbe(examination, "signed_without_plus", signing, { path }));
		if (isLetIn(ending, refusedStatus)) return describeRewriting(form !== own, form);
		if (!isRefused(ending, refusedStatus)) return undefined;
	}
	return undefined;
}

function describeRewriting(isOtherPath: boolean, { path }: SigningForm): DiagnosisFinding {
	return {
		cause: "path_rewritten",
		certainty: "certain",
		isBlocking: true,
		message:
			"Calls come through once their path has nothing escaped: something on the way turns %2B into a plus, so that the signature no longer fits.",
		fix: `Let the proxy pass the path on as it came; with nginx, write proxy_pass without a path.${isOtherPath ? ` It also changes the base path: until then the gateway sees what profile.signing.path "${path}" signs.` : ""}`,
	};
}

/** What a call with a query has shown. */
export interface QueryResult {
	/** The choice that was accepted. */
	readonly query?: SigningForm["query"];
	/** What is wrong, where neither choice is accepted. */
	readonly finding?: DiagnosisFinding;
	/** Whether the answers do not tell. */
	readonly isUndecided?: boolean;
}

/** A query that means nothing to the gateway. */
const QUERY = { probe: 1 };

/**
 * Signs a call with a query, which the gateway may refuse for the unknown field: what counts is whether it
 * took the signature.
 */
export async function findQuery(
	examination: Examination,
	{ form, clockOffsetMs }: Signing,
	{ refusedStatus, acceptedStatus }: Statuses,
): Promise<QueryResult> {
	const { prober, state } = examination;
	const send = (tried: SigningForm): Promise<ProbeEnding> => {
		const signing = { form: tried, clockOffsetMs };
		return prober.send(mappingProbe(examination, "signed_with_query", signing, { query: QUERY }));
	};
	const own = await send(form);
	const isOwnLetIn = isLetIn(own, refusedStatus);
	if (isOwnLetIn && own.read.status === acceptedStatus) return { query: form.query };
	if (!isOwnLetIn && !isRefused(own, refusedStatus)) return { isUndecided: true };
	if (state.options.signer !== undefined) {
		return isOwnLetIn ? { isUndecided: true } : { finding: describeSignedQuery(form) };
	}
	// If the client's own form is right, the other one is a wrong signature, which shows whether it matters.
	const otherForm = withOtherQuery(form);
	const other = await send(otherForm);
	if (isRefused(other, refusedStatus)) return isOwnLetIn ? { query: form.query } : { finding: UNKNOWN_QUERY };
	return !isOwnLetIn && isLetIn(other, refusedStatus) ? { query: otherForm.query } : { isUndecided: true };
}

const UNKNOWN_QUERY: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"Calls with a query are refused, signed with it and without it, while the same call without a query is accepted.",
	fix: "Ask how the gateway signs a query: sorted, decoded or by itself. Until then lists and filters fail.",
};

function describeSignedQuery(form: SigningForm): DiagnosisFinding {
	return {
		cause: "unknown_signing_form",
		certainty: "likely",
		isBlocking: true,
		message: `Calls with a query are refused, while the same call without one is accepted: the query is ${form.query} here, and the gateway may have it otherwise.`,
		fix: `Set profile.signing.query to "${withOtherQuery(form).query}" and diagnose again; it was not tried, since a signer may only sign what it knows.`,
	};
}
