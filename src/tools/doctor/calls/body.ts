import { NAMED_BODY_FORMS } from "../../body-form-words.ts";
import { REVEALING_BODY } from "./body-features.ts";
import { type FeatureSearch, type PostBody, searchFeatures } from "./body-search.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { type Examination, isSignatureAccepted } from "./examination.ts";
import { describeStatus, type Signing } from "./probe.ts";
import type { SigningForm } from "./signing-form.ts";

/** The result of posting bodies: one of these. */
export interface BodyResult {
	/** The form in which a body with every feature was accepted. */
	readonly form?: SigningForm;
	readonly finding?: DiagnosisFinding;
	/** Why nothing was proven. */
	readonly untested?: string;
}

/**
 * Finds how the gateway signs bodies, by posting unknown keys to the webhook settings, where absent fields stay unchanged
 * (specification, section 4.2). A wrong signature is posted first: unless it is rejected, no correct one is posted.
 */
export async function findBodyForm(examination: Examination, signing: Signing): Promise<BodyResult> {
	const { caller, prober, settings } = examination;
	const { method, path } = settings;
	// Another method might replace the settings as a whole.
	if (method !== "POST" || path.includes("{")) {
		return {
			untested: `the profile makes settings.setWebhooks ${method} ${path}, which might change something`,
		};
	}
	const post: PostBody = (body, form, isForged = false) => {
		const purpose: DiagnosisProbe = isForged ? "wrongly_signed_body" : "signed_body";
		const target = { ...settings, fields: { ...body } };
		return prober.send({ purpose, target, signing: { ...signing, form, isForged } });
	};

	const { form } = signing;
	const forged = await post(REVEALING_BODY, form, true);
	if (forged.outcome !== "rejected") {
		return { untested: `a body with a wrong signature got ${describeStatus(forged)}, which is no rejection` };
	}
	const own = await post(REVEALING_BODY, form);
	if (isSignatureAccepted(own)) return { form };
	if (own.outcome !== "rejected") return { untested: `${own.where} got ${describeStatus(own)}` };
	// A signer has one form only.
	const isOnlyOwn = caller.options.signer !== undefined;
	for (const canonicalBody of isOnlyOwn ? [] : NAMED_BODY_FORMS) {
		// A gateway that keeps the order of the fields accepts sorted ones, too.
		if (canonicalBody === form.canonicalBody || canonicalBody === "json") continue;
		const named = { ...form, canonicalBody };
		const ending = await post(REVEALING_BODY, named);
		if (isSignatureAccepted(ending)) return { form: named };
		if (ending.outcome !== "rejected") return { untested: `${ending.where} got ${describeStatus(ending)}` };
	}
	const search = await searchFeatures(post, form, isOnlyOwn);
	if (search.form !== undefined) return { form: search.form };
	if (!prober.isRejectionClear && !search.isAnyAccepted) {
		return {
			untested: `${own.where} got ${describeStatus(own)}, for a wrong signature or for the unknown keys`,
		};
	}
	return { finding: describeRejected(search) };
}

function describeRejected(search: FeatureSearch): DiagnosisFinding {
	return {
		cause: "unknown_signing_form",
		certainty: "certain",
		isBlocking: true,
		message: `Signed GETs work, but ${describeBodies(search)}`,
		fix: "Ask for the canonical form of bodies, and set profile.signing.canonicalBody to a function that writes it.",
	};
}

function describeBodies({ rejected, isAnyAccepted, cutShort }: FeatureSearch): string {
	if (cutShort !== undefined)
		return `bodies are rejected. The search for their form ended early: ${cutShort}.`;
	if (!isAnyAccepted) return "bodies are rejected, even one with a single short field.";
	if (rejected.length === 0) return "a body is rejected whose features are accepted one by one.";
	return `bodies are rejected if they have ${rejected.map(({ title }) => title).join(", or ")}.`;
}
