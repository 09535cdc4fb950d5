import type { DiagnosisFinding } from "./diagnosis.ts";
import { type Examination, isSignatureAccepted, sendSigned } from "./examination.ts";
import type { FirstCall } from "./first-call.ts";
import { isConclusive, markOf, type ProbeEnding, type Responded, type Signing } from "./probe.ts";
import { type RejectionReason, readReason } from "./reasons.ts";
import {
	formsFor,
	isDecoded,
	otherSecretEncodings,
	type SigningForm,
	withOtherQueries,
} from "./signing-form.ts";

/** The result of a search for the gateway's signing form. */
export interface SearchResult {
	/** The form that was accepted, which is the client's own object if only the clock was wrong, and the response. */
	readonly accepted: { readonly form: SigningForm; readonly ending: Responded } | undefined;
	/** The clock that was used. */
	readonly clockOffsetMs: number;
	/** How many forms were tried, the client's own among them. */
	readonly forms: number;
	/** The inconclusive response that ended the search. */
	readonly cutShort: ProbeEnding | undefined;
}

/** Tries the other signing forms, each on a call for the mapping, and stops at one that the gateway accepts only if its signature is right. */
export async function findForm(
	examination: Examination,
	{ clockOffsetMs: usedOffsetMs, measuredMs }: FirstCall,
	reason: RejectionReason | undefined,
): Promise<SearchResult> {
	const { caller, own, hasBasePath, mapping, prober } = examination;
	const clockOffsetMs = measuredMs ?? usedOffsetMs;
	const hasEscapes = mapping.path.includes("%");
	const otherSecrets = otherSecretEncodings(caller.options, own);
	const all = formsFor(own, { hasBasePath, hasEscapes, otherSecrets });
	// While the timestamp is rejected, no path can be judged: only the other unit is tried.
	const candidates =
		reason === "timestamp" ? all.filter(({ timestamp }) => timestamp !== own.timestamp) : all.slice(1);
	// The client's own form was tried only with the clock of the first call.
	const isClockNew = clockOffsetMs !== usedOffsetMs;
	let forms = 1;
	let rejectedUnit: SigningForm["timestamp"] | undefined;
	for (const form of isClockNew ? [own, ...candidates] : candidates) {
		if (form.timestamp === rejectedUnit) continue;
		const ending = await sendSigned(examination, "signed", { form, clockOffsetMs });
		forms += form === own ? 0 : 1;
		if (ending.outcome === "no_response" || !isConclusive(ending.read)) {
			return { accepted: undefined, clockOffsetMs, forms, cutShort: ending };
		}
		if (reason !== "timestamp" && readReason(ending.read) === "timestamp") rejectedUnit = form.timestamp;
		if (ending.read.status === 401 || markOf(ending.read) === prober.rejection) continue;
		const wrong = await sendSigned(examination, "wrongly_signed", { form, clockOffsetMs, isForged: true });
		const isProof = "read" in wrong && isConclusive(wrong.read) && markOf(wrong.read) !== markOf(ending.read);
		if (!isProof) continue;
		if (wrong.read.status !== 401) prober.rejection = markOf(wrong.read);
		return { accepted: { form, ending }, clockOffsetMs, forms, cutShort: undefined };
	}
	return { accepted: undefined, clockOffsetMs, forms, cutShort: undefined };
}

/** The finding if calls are accepted once nothing in their path is escaped, though no form of the escaped path is. */
export async function findRewriting(
	examination: Examination,
	clockOffsetMs: number,
): Promise<DiagnosisFinding | undefined> {
	const { own, hasBasePath, mapping } = examination;
	const path = mapping.path.replaceAll("%2B", "");
	if (path === mapping.path) return undefined;
	const forms = formsFor(own, { hasBasePath, hasEscapes: false }).filter(
		({ emptyBody, timestamp }) => emptyBody === own.emptyBody && timestamp === own.timestamp,
	);
	for (const form of forms) {
		const signing = { form, clockOffsetMs };
		const ending = await sendSigned(examination, "signed_without_plus", signing, { path });
		if (ending.outcome === "rejected") continue;
		if (!isSignatureAccepted(ending)) return undefined;
		const forged = { ...signing, isForged: true };
		const wrong = await sendSigned(examination, "wrongly_signed", forged, { path });
		if (!("read" in wrong) || markOf(wrong.read) === markOf(ending.read)) return undefined;
		return describeRewriting(form.path !== own.path ? form : undefined);
	}
	return undefined;
}

/**
 * Whether a decoded path was accepted only because its plus was rewritten on the way: a proxy that parses a path and
 * writes it again turns `%2B` into a plus, and keeps the escape of a space.
 */
export async function isOnlyPlusDecoded(examination: Examination, signing: Signing): Promise<boolean> {
	const path = examination.mapping.path.replace("%2B", "%2B%20");
	if (!isDecoded(signing.form.path) || isDecoded(examination.own.path)) return false;
	const ending = await sendSigned(examination, "signed_with_space", signing, { path });
	return ending.outcome === "rejected";
}

/** The path is rewritten between this client and the check of the signature. */
export function describeRewriting(working: SigningForm | undefined): DiagnosisFinding {
	const until =
		working === undefined
			? ""
			: ` Until then, profile.signing.path "${working.path}" is accepted for such calls.`;
	return {
		cause: "path_rewritten",
		certainty: "certain",
		isBlocking: true,
		message: `Signatures match without %2B in the path, and not with it: its escapes are rewritten before the signature is checked, by a proxy on the way or by the gateway's own server.`,
		fix: `If a proxy is in between, let it forward the path unchanged; with nginx, write proxy_pass without a path. Otherwise ask for the form of the path that the gateway signs.${until}`,
	};
}

/** The result of calls with a query. */
export interface QuerySearch {
	/** The choice that was accepted. */
	readonly query?: SigningForm["query"];
	/** The finding, if neither choice is accepted. */
	readonly finding?: DiagnosisFinding;
	/** Whether the responses are inconclusive. */
	readonly isUndecided?: boolean;
}

/** A query that means nothing to the gateway, and whose parameters are not in order. */
const QUERY = { probeB: 1, probeA: 2 };

/**
 * Tries a call with a query. The gateway may reject its unknown field; only whether it accepts the signature matters.
 * @param accepted - the mark of the response to the same call without a query.
 */
export async function findQuery(
	examination: Examination,
	{ form, clockOffsetMs }: Signing,
	accepted: string,
): Promise<QuerySearch> {
	const send = (tried: SigningForm) =>
		sendSigned(examination, "signed_with_query", { form: tried, clockOffsetMs }, { query: QUERY });
	const own = await send(form);
	const isOwnAccepted = isSignatureAccepted(own);
	if (isOwnAccepted && markOf(own.read) === accepted) return { query: form.query };
	if (!isOwnAccepted && own.outcome !== "rejected") return { isUndecided: true };
	if (examination.caller.options.signer !== undefined) {
		return isOwnAccepted ? { isUndecided: true } : { finding: describeSignedQuery(form) };
	}
	for (const otherForm of withOtherQueries(form)) {
		const other = await send(otherForm);
		if (other.outcome !== "rejected") {
			const isFound = !isOwnAccepted && isSignatureAccepted(other);
			return isFound ? { query: otherForm.query } : { isUndecided: true };
		}
		// If the client's own form is correct, another one is a wrong signature, which must be rejected.
		if (isOwnAccepted) return { query: form.query };
	}
	return examination.prober.isRejectionClear ? { finding: UNKNOWN_QUERY } : { isUndecided: true };
}

const UNKNOWN_QUERY: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"Calls with a query are rejected, whether the query is signed as it is, sorted or not at all, while the same call without a query is accepted.",
	fix: "Ask how the gateway signs a query: decoded, escaped otherwise or separately. Until that is known, lists and filters fail.",
};

function describeSignedQuery(form: SigningForm): DiagnosisFinding {
	const choices = withOtherQueries(form)
		.map(({ query }) => `"${query}"`)
		.join(" or ");
	return {
		cause: "unknown_signing_form",
		certainty: "likely",
		isBlocking: true,
		message: `Calls with a query are rejected, while the same call without one is accepted: profile.signing.query is "${form.query}" here, and the gateway may use another choice.`,
		fix: `Set profile.signing.query to ${choices} and diagnose again; they were not tried, since the signer may support only one form.`,
	};
}
