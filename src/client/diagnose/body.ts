import { pathParameters } from "../../catalogue/operation.ts";
import { setWebhooks } from "../../catalogue/settings.ts";
import type { RequestParts } from "../request.ts";
import type { DiagnosisFinding, DiagnosisProbe } from "./diagnosis.ts";
import { type Examination, isLetIn, isRefused } from "./examination.ts";
import type { ProbeEnding, Signing } from "./probe.ts";
import type { SigningForm } from "./signing-form.ts";

/** What posting has shown. */
export interface BodyResult {
	/** The form that was accepted; `undefined` where none was, or the answers do not tell. */
	readonly canonicalBody: SigningForm["canonicalBody"] | undefined;
	readonly finding: DiagnosisFinding | undefined;
	/** Why nothing was found out. */
	readonly untested: string | undefined;
}

/** Keys that no gateway knows, out of order, and a letter that some write as an escape. */
const BODY = { probeOfTheSigning: "Zoë", probeOfTheOrder: 1 };
/** What every form writes in the same way. */
const PLAIN_BODY = { probeOfTheSigning: 1 };

/**
 * Finds how the gateway signs bodies, by posting unknown keys to the webhook settings, where an absent field
 * stays as it is (specification, section 4.2). A wrong signature comes first: where that is not refused,
 * nothing that is signed rightly is posted.
 */
export async function findCanonicalBody(
	examination: Examination,
	signing: Signing,
	refusedStatus: number,
): Promise<BodyResult> {
	const { state, prober } = examination;
	const override = state.profile?.operations?.["settings.setWebhooks"];
	const { method = setWebhooks.method, path = setWebhooks.path } = override ?? {};
	// Another method might replace the settings as a whole.
	if (method !== "POST" || pathParameters(path).length > 0) {
		return leave(`the profile makes settings.setWebhooks ${method} ${path}, which might change something`);
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
	if (!isRefused(wrong, refusedStatus)) {
		return leave(
			`a wrong signature of a body is answered ${describeStatus(wrong)} instead of ${refusedStatus}`,
		);
	}
	for (const form of bodyForms(examination, signing.form)) {
		const ending = await send("signed_body", BODY, form);
		if (isLetIn(ending, refusedStatus)) {
			return { canonicalBody: form.canonicalBody, finding: undefined, untested: undefined };
		}
		if (!isRefused(ending, refusedStatus)) {
			return leave(`${ending.where} is answered ${describeStatus(ending)}`);
		}
	}
	const plain = await send("signed_body", PLAIN_BODY, signing.form);
	const finding = isLetIn(plain, refusedStatus)
		? PARTLY_UNKNOWN
		: describeUnknown(isRefused(plain, refusedStatus));
	return { canonicalBody: undefined, finding, untested: undefined };
}

/** The forms of a body to try, the client's own first; a signer has one form only. */
function bodyForms({ state }: Examination, own: SigningForm): SigningForm[] {
	if (state.options.signer !== undefined) return [own];
	const others = (["rfc8785", "json"] as const).filter(
		(canonicalBody) => canonicalBody !== own.canonicalBody,
	);
	return [own, ...others.map((canonicalBody) => ({ ...own, canonicalBody }))];
}

function leave(reason: string): BodyResult {
	return { canonicalBody: undefined, finding: undefined, untested: `How bodies are signed: ${reason}.` };
}

function describeStatus(ending: ProbeEnding): string {
	return ending.outcome === "no_response" ? "not at all" : String(ending.read.status);
}

const PARTLY_UNKNOWN: DiagnosisFinding = {
	cause: "unknown_signing_form",
	certainty: "certain",
	isBlocking: true,
	message:
		"A body of a single short field is accepted, and one with two fields and the letter ë is refused: the gateway orders fields, or writes other letters than ASCII, in a form of its own.",
	fix: "Ask for the canonical form of bodies, and set profile.signing.canonicalBody to a function that writes it.",
};

function describeUnknown(isPlainRefused: boolean): DiagnosisFinding {
	const even = isPlainRefused ? ", even one of a single short field" : "";
	return {
		...PARTLY_UNKNOWN,
		message: `Bodies are refused${even}, while calls without a body are accepted.`,
	};
}
