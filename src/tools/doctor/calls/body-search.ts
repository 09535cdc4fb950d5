import { BODY_FEATURES, type BodyFeature, REVEALING_BODY } from "./body-features.ts";
import { type BodyForm, RFC_8785, withDifference, writeInForm } from "./body-form.ts";
import { isSignatureAccepted } from "./examination.ts";
import { describeStatus, type ProbeEnding } from "./probe.ts";
import type { SigningForm } from "./signing-form.ts";

/** Posts a body, and resolves to how that ended. */
export type PostBody = (body: object, form: SigningForm, isForged?: boolean) => Promise<ProbeEnding>;

/** What a search for the form of bodies has shown. */
export interface FeatureSearch {
	/** The form in which a body with every feature was accepted. */
	readonly form?: SigningForm;
	/** The features that were rejected in every form. */
	readonly rejected: readonly BodyFeature[];
	readonly isAnyAccepted: boolean;
	/** The inconclusive response that ended the search. */
	readonly cutShort?: string;
}

/**
 * Finds the form of bodies after every form with a name was rejected: feature by feature, so that any combination is found, and
 * then with all of them at once.
 * @param isOnlyOwn - whether no form but the client's own can be signed.
 */
export async function searchFeatures(
	post: PostBody,
	own: SigningForm,
	isOnlyOwn: boolean,
): Promise<FeatureSearch> {
	const rejected: BodyFeature[] = [];
	let isAnyAccepted = false;
	const cutShortAt = (ending: ProbeEnding): FeatureSearch => {
		return { rejected, isAnyAccepted, cutShort: `${ending.where} got ${describeStatus(ending)}` };
	};

	let found = RFC_8785;
	for (const { title, body, others } of BODY_FEATURES) {
		const forms = isOnlyOwn ? [found] : [found, ...others.map((other) => withDifference(found, other))];
		let accepted: BodyForm | undefined;
		for (const form of forms) {
			const ending = await post(body, isOnlyOwn ? own : withBodyForm(own, form));
			if (!isSignatureAccepted(ending) && ending.outcome !== "rejected") return cutShortAt(ending);
			if (!isSignatureAccepted(ending)) continue;
			accepted = form;
			break;
		}
		isAnyAccepted ||= accepted !== undefined;
		// Every other body has a field too.
		if (!isAnyAccepted) return { rejected, isAnyAccepted };
		if (accepted === undefined) rejected.push({ title, body, others });
		else found = accepted;
	}
	if (rejected.length > 0 || found === RFC_8785) return { rejected, isAnyAccepted };
	const form = withBodyForm(own, found);
	const ending = await post(REVEALING_BODY, form);
	if (isSignatureAccepted(ending)) return { form, rejected, isAnyAccepted };
	return ending.outcome === "rejected" ? { rejected, isAnyAccepted } : cutShortAt(ending);
}

function withBodyForm(form: SigningForm, bodyForm: BodyForm): SigningForm {
	return { ...form, canonicalBody: (body: unknown) => writeInForm(body, bodyForm), bodyForm };
}
