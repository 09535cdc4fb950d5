import { pathParameters } from "../../../library/catalogue/operation.ts";
import { setWebhooks } from "../../../library/catalogue/settings.ts";
import type { RequestParts } from "../../../library/client/request.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { type Examination, isAccepted } from "./examination.ts";
import type { ProbeEnding, Signing } from "./probe.ts";
import type { SigningForm } from "./signing-form.ts";

/** The result of posting bodies. */
export interface BodyResult {
	/** The form that was accepted; `undefined` if none was, or the responses are inconclusive. */
	readonly canonicalBody: SigningForm["canonicalBody"] | undefined;
	readonly finding: DiagnosisFinding | undefined;
	/** Why the test was inconclusive. */
	readonly untested: string | undefined;
}

/** Keys that no gateway knows, unsorted, and a letter that some serializers escape. */
const BODY = { probeOfTheSigning: "Zoë", probeOfTheOrder: 1 };
/** A body that every form serializes in the same way. */
const PLAIN_BODY = { probeOfTheSigning: 1 };

/**
 * Finds how the gateway signs bodies, by posting unknown keys to the webhook settings, where absent fields stay unchanged
 * (specification, section 4.2). A wrong signature is posted first: unless it is rejected, no correct one is posted.
 */
export async function findCanonicalBody(examination: Examination, signing: Signing): Promise<BodyResult> {
	const { caller, prober } = examination;
	const override = caller.profile?.operations?.["settings.setWebhooks"];
	const { method = setWebhooks.method, path = setWebhooks.path } = override ?? {};
	// Another method might replace the settings as a whole.
	if (method !== "POST" || pathParameters(path).length > 0) {
		return untested(`the profile makes settings.setWebhooks ${method} ${path}, which might change something`);
	}
	const send = (
		purpose: DiagnosisProbe,
		body: object,
		form: SigningForm,
		isForged = false,
	): Promise<ProbeEnding> => {
		const parts: RequestParts = { method, pathTemplate: path, path, params: {}, query: {}, body };
		const signedAs = { ...signing, form, isForged };
		return prober.send({ purpose, operationId: "settings.setWebhooks", parts, signing: signedAs });
	};

	const wrong = await send("wrongly_signed_body", BODY, signing.form, true);
	if (wrong.outcome !== "rejected") {
		return untested(`a body with a wrong signature got ${describeStatus(wrong)}, which is no rejection`);
	}
	// A signer has one form only.
	const others = caller.options.signer === undefined ? (["rfc8785", "json"] as const) : [];
	const forms = [signing.form.canonicalBody, ...others.filter((form) => form !== signing.form.canonicalBody)];
	for (const canonicalBody of forms) {
		const form = { ...signing.form, canonicalBody };
		const ending = await send("signed_body", BODY, form);
		if (isAccepted(ending)) {
			return { canonicalBody: form.canonicalBody, finding: undefined, untested: undefined };
		}
		if (ending.outcome !== "rejected") {
			return untested(`${ending.where} got ${describeStatus(ending)}`);
		}
	}
	const plain = await send("signed_body", PLAIN_BODY, signing.form);
	if (isAccepted(plain)) return { canonicalBody: undefined, finding: PARTLY_UNKNOWN, untested: undefined };
	if (!prober.isRejectionClear) {
		return untested(
			`${plain.where} got ${describeStatus(plain)}, for a wrong signature or for the unknown keys`,
		);
	}
	const even = plain.outcome === "rejected" ? ", even one with a single short field" : "";
	const message = `Bodies are rejected${even}, while calls without a body are accepted.`;
	const finding: DiagnosisFinding = { ...PARTLY_UNKNOWN, message };
	return { canonicalBody: undefined, finding, untested: undefined };
}

function untested(reason: string): BodyResult {
	return { canonicalBody: undefined, finding: undefined, untested: reason };
}

function describeStatus(ending: ProbeEnding): string {
	return ending.outcome === "no_response" ? "no response" : String(ending.read.status);
}

const PARTLY_UNKNOWN: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"A body with a single short field is accepted, and one with two fields and the letter ë is rejected: the gateway sorts fields, or serializes non-ASCII letters, in a form that was not tried.",
	fix: "Ask for the canonical form of bodies, and set profile.signing.canonicalBody to a function that writes it.",
};
