import type { SigningProfile } from "../../library/signing/dialect.ts";
import { readSecretBytes } from "../../library/signing/hash.ts";
import {
	type ReceivedRequest,
	type VerifyRequestOptions,
	verifyRequest,
} from "../../library/signing/verify-request.ts";
import { BODY_FORM_WORDS, NAMED_BODY_FORMS } from "../body-form-words.ts";
import type { OtherSigner } from "./request-rejection.ts";
import type { GatewaySettings } from "./settings.ts";

/** A larger body is not searched: whoever sends one would make the gateway hash it a dozen times. */
const MAX_SEARCHED_BYTES = 1_048_576;

/** The choices of signing that a client may have made otherwise, and how each is called. */
const FORMS: readonly (readonly [form: SigningProfile, words: string])[] = [
	[{ path: "without_base_path" }, "the path without the path of the base URL"],
	[{ path: "request_line" }, "the whole path"],
	[{ path: "decoded" }, "the decoded path"],
	[{ query: "included" }, "the path with its query"],
	[{ query: "excluded" }, "the path without its query"],
	[{ query: "sorted" }, "the path with its query sorted"],
	...NAMED_BODY_FORMS.map(
		(form) => [{ canonicalBody: form }, `the body ${BODY_FORM_WORDS[form].signed}`] as const,
	),
	[{ emptyBody: "empty_object" }, "{} for a request without a body"],
	[{ emptyBody: "empty_string" }, "an empty string for a request without a body"],
];

/**
 * Finds what a request was signed with, if not with the App Secret and the profile of the gateway: this gateway has all
 * secrets, so it can say what a real one hides.
 */
export async function findSigner(
	request: ReceivedRequest,
	options: VerifyRequestOptions,
	{ webhookSecret, secrets, profile }: Pick<GatewaySettings, "webhookSecret" | "secrets" | "profile">,
): Promise<{ readonly code: OtherSigner; readonly words: string } | undefined> {
	if ((request.body?.length ?? 0) > MAX_SEARCHED_BYTES) return undefined;
	const isSignedWith = async (
		secret: string | Uint8Array | undefined,
		signing?: SigningProfile,
	): Promise<boolean> =>
		verifyRequest(request, {
			...options,
			nonceStore: { remember: async () => true },
			...(secret === undefined ? {} : { secretFor: () => secret }),
			profile: { signing: { ...profile.signing, ...signing } },
		}).then(Boolean, () => false);
	const webhookKey = readSecretBytes(webhookSecret, profile.events?.secret);
	if (await isSignedWith(webhookKey))
		return { code: "webhook_secret", words: "it is signed with the webhook secret, not with the App Secret" };
	for (const secret of secrets.values())
		if (await isSignedWith(secret))
			return { code: "secret_of_another_app", words: "it is signed with the App Secret of another app id" };
	for (const [form, words] of FORMS)
		if (await isSignedWith(undefined, form)) return { code: "signing_form", words: `it signs ${words}` };
	return undefined;
}
