import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { type Examination, isDecisive, sendSigned } from "./examination.ts";
import type { FirstCall } from "./first-call.ts";
import { markOf, type ProbeEnding, type ProbeTarget, type Responded, type Signing } from "./probe.ts";
import { type RejectionReason, readReason } from "./reasons.ts";
import {
	formsFor,
	isDecoded,
	otherSecretEncodings,
	QUERIES,
	type SigningForm,
	withOtherDecoding,
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

/** Tries the other signing forms, nearest first, and stops at one that the gateway accepts only if its signature is right. */
export async function findForm(
	examination: Examination,
	{ target, clockOffsetMs: usedOffsetMs, measuredMs }: FirstCall,
	reason: RejectionReason | undefined,
): Promise<SearchResult> {
	const { caller, own, hasBasePath, mapping, spacedMapping, prober } = examination;
	const clockOffsetMs = measuredMs ?? usedOffsetMs;
	const hasEscapes = target === mapping && spacedMapping !== undefined;
	const secrets = otherSecretEncodings(caller.options, own);
	const [, ...others] = formsFor(own, { hasBasePath, hasEscapes, secrets });
	// The client's own form was tried only with the clock of the first call.
	const candidates = clockOffsetMs === usedOffsetMs ? others : [own, ...others];
	// While the timestamp is rejected, nothing else can be judged.
	const rejectedUnits = new Set(reason === "timestamp" ? [own.timestamp] : []);
	let forms = 1;
	for (const form of candidates) {
		if (rejectedUnits.has(form.timestamp)) continue;
		const ending = await sendSigned(examination, "signed", { form, clockOffsetMs }, target);
		forms += form === own ? 0 : 1;
		if (!isDecisive(ending)) return { accepted: undefined, clockOffsetMs, forms, cutShort: ending };
		if (readReason(ending.read) === "timestamp") rejectedUnits.add(form.timestamp);
		if (ending.outcome === "rejected") continue;
		// The first wrong signature had that time, so only the signature can have changed the response.
		const isSameTime = clockOffsetMs === 0 && form.timestamp === own.timestamp;
		if (isSameTime) return { accepted: { form, ending }, clockOffsetMs, forms, cutShort: undefined };
		const forged = { form, clockOffsetMs, isForged: true };
		const wrong = await sendSigned(examination, "wrongly_signed", forged, target);
		if (!isDecisive(wrong)) continue;
		if (wrong.read.success === undefined) prober.rejections.add(markOf(wrong.read));
		if (markOf(wrong.read) === markOf(ending.read)) continue;
		return { accepted: { form, ending }, clockOffsetMs, forms, cutShort: undefined };
	}
	return { accepted: undefined, clockOffsetMs, forms, cutShort: undefined };
}

/** What was accepted last: its response, and what was requested. */
export interface Reached {
	readonly ending: Responded;
	readonly target: ProbeTarget;
}

/** The result of a choice that a further request shows. */
interface ChoiceSearch {
	/** The form that was accepted; absent if all were rejected, or the responses are inconclusive. */
	readonly found?: { readonly form: SigningForm; readonly ending: Responded };
	readonly isUndecided?: boolean;
}

/**
 * Tries forms on another request, and stops at the first that is not rejected. It is accepted if its response is the one that
 * a right signature got before, or if a wrong signature gets another one.
 * @param accepted - the response that a right signature got before.
 */
async function tryForms(
	examination: Examination,
	{ purpose, target, clockOffsetMs }: { purpose: DiagnosisProbe; target: ProbeTarget; clockOffsetMs: number },
	forms: readonly SigningForm[],
	accepted: Responded,
): Promise<ChoiceSearch> {
	for (const form of forms) {
		const ending = await sendSigned(examination, purpose, { form, clockOffsetMs }, target);
		if (!isDecisive(ending)) return { isUndecided: true };
		if (ending.outcome === "rejected") continue;
		// A bad request may be noticed before the signature, and a missing mapping only after it.
		const isAfterSignature = ending.read.success !== undefined || ending.read.status === 404;
		const isSame = markOf(ending.read) === markOf(accepted.read);
		if (isAfterSignature && isSame) return { found: { form, ending } };
		const forged = { form, clockOffsetMs, isForged: true };
		const wrong = await sendSigned(examination, "wrongly_signed", forged, target);
		const isProof = isDecisive(wrong) && markOf(wrong.read) !== markOf(ending.read);
		return isProof ? { found: { form, ending } } : { isUndecided: true };
	}
	return examination.prober.isRejectionClear ? {} : { isUndecided: true };
}

/** Without a choice of its own, a signer signs one form. */
function formsOf({ caller }: Examination, own: SigningForm, others: readonly SigningForm[]): SigningForm[] {
	return caller.options.signer === undefined ? [own, ...others] : [own];
}

/** The result of a call whose path has an escape. */
export interface DecodingSearch {
	readonly form: SigningForm;
	/** The last response to a right signature. */
	readonly reached: Reached;
	readonly finding?: DiagnosisFinding;
	readonly isUndecided?: boolean;
}

/**
 * Finds whether the signed path is decoded, from a contact with an escape. A proxy that parses a path and writes it again turns
 * `%2B` into a plus, and keeps the escape of a space, which a decoded path has to match, too.
 */
export async function findDecoding(
	examination: Examination,
	{ form: own, clockOffsetMs }: Signing,
	reached: Reached,
): Promise<DecodingSearch> {
	const { mapping, spacedMapping, oddMapping, prober } = examination;
	if (spacedMapping === undefined) return { form: own, reached };
	const forms = formsOf(examination, own, [withOtherDecoding(own)]);
	const request = { purpose: "signed", target: mapping, clockOffsetMs } as const;
	const { found, isUndecided = false } =
		reached.target === mapping
			? { found: { form: own, ending: reached.ending } }
			: await tryForms(examination, request, forms, reached.ending);
	if (isUndecided) {
		// A contact that is as odd as the one before gets the response that was told from that to a wrong signature.
		const odd = { purpose: "signed_with_space", target: oddMapping, clockOffsetMs } as const;
		const second = await tryForms(examination, odd, forms, reached.ending);
		return second.found === undefined
			? { form: own, reached, isUndecided }
			: { form: second.found.form, reached };
	}
	// Otherwise a space in a contact may have been rejected, and not the signature.
	const isClear = prober.isRejectionClear;
	if (found === undefined) return { form: own, reached, finding: describeRewriting(own, own, isClear) };
	const { form, ending } = found;
	if (isDecoded(form.path) && !isDecoded(examination.own.path)) {
		const spaced = await sendSigned(examination, "signed_with_space", { form, clockOffsetMs }, spacedMapping);
		if (spaced.outcome === "rejected")
			return { form, reached, finding: describeRewriting(form, examination.own, isClear) };
	}
	return { form, reached: { ending, target: mapping } };
}

/** The path is rewritten between this client and the check of the signature. */
function describeRewriting({ path }: SigningForm, own: SigningForm, isCertain: boolean): DiagnosisFinding {
	const until =
		path === own.path ? "" : ` Until then, profile.signing.path "${path}" is accepted for such calls.`;
	return {
		cause: "path_rewritten",
		certainty: isCertain ? "certain" : "likely",
		isBlocking: true,
		message:
			"Signatures match without %2B in the path, and not with it: its escapes are rewritten before the signature is checked, by a proxy on the way or by the gateway's own server.",
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

/** Finds how a query is signed. The gateway may reject its unknown fields; only whether it accepts the signature matters. */
export async function findQuery(
	examination: Examination,
	{ form, clockOffsetMs }: Signing,
	{ ending, target: { fields, ...target } }: Reached,
): Promise<QuerySearch> {
	const request = {
		purpose: "signed_with_query",
		target: { ...target, fields: { ...fields, ...QUERY } },
		clockOffsetMs,
	} as const;
	const others = QUERIES.filter((query) => query !== form.query).map((query) => ({ ...form, query }));
	const forms = formsOf(examination, form, others);
	const { found, isUndecided = false } = await tryForms(examination, request, forms, ending);
	if (found !== undefined) return { query: found.form.query };
	if (isUndecided) return { isUndecided };
	return { finding: forms.length === 1 ? describeSignedQuery(form, others) : UNKNOWN_QUERY };
}

const UNKNOWN_QUERY: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"Calls with a query are rejected, whether the query is signed as it is, sorted or not at all, while the same call without a query is accepted.",
	fix: "Ask how the gateway signs a query: decoded, escaped otherwise or separately. Until that is known, lists and filters fail.",
};

function describeSignedQuery(form: SigningForm, others: readonly SigningForm[]): DiagnosisFinding {
	const choices = others.map(({ query }) => `"${query}"`).join(" or ");
	return {
		cause: "unknown_signing_form",
		certainty: "likely",
		isBlocking: true,
		message: `Calls with a query are rejected, while the same call without one is accepted: profile.signing.query is "${form.query}" here, and the gateway may use another choice.`,
		fix: `Set profile.signing.query to ${choices} and diagnose again; they weren't tried, since the signer may support only one form.`,
	};
}
