import type { ClientOptions } from "../../../library/client/options.ts";
import { readEnvironment } from "../../../library/host.ts";
import type { SigningProfile } from "../../../library/signing/dialect.ts";
import { readSecretBytes } from "../../../library/signing/hash.ts";
import { BODY_FORM_WORDS } from "../../body-form-words.ts";
import { ENCODINGS_OF_SECRETS } from "../../secret-encodings.ts";
import { type BodyForm, describeBodyForm } from "./body-form.ts";
import type { SigningChoices } from "./diagnosis.ts";

/** A signing profile with every default filled in. */
export type SigningForm = {
	readonly [Choice in keyof SigningProfile]-?: NonNullable<SigningProfile[Choice]>;
} & {
	/** What `canonicalBody` does, if a search found it. */
	readonly bodyForm?: BodyForm;
};

/** The assumptions of a client without a profile. */
const DEFAULTS: SigningForm = {
	secret: "text",
	canonicalBody: "rfc8785",
	path: "request_line",
	query: "excluded",
	emptyBody: "empty_string",
	timestamp: "milliseconds",
};

/** Every choice that a call without query and body shows. */
const PATHS = ["request_line", "without_base_path", "decoded", "decoded_without_base_path"] as const;
export const QUERIES = ["included", "excluded", "sorted"] as const;
const EMPTY_BODIES = ["empty_string", "empty_object"] as const;
const TIMESTAMPS = ["milliseconds", "seconds"] as const;

/** A client's signing form. */
export function toForm(signing: SigningProfile = {}): SigningForm {
	const given = Object.entries(signing).filter(([, choice]) => choice !== undefined);
	return { ...DEFAULTS, ...Object.fromEntries(given) };
}

/** As many bytes as any generated secret has: a shorter text is one that a person chose. */
const MIN_ENCODED_BYTES = 16;

/**
 * What a client's App Secret may encode besides what its profile says: what its text looks like. Bytes are never decoded, and
 * a function is asked only by the client.
 */
export function otherSecretEncodings(
	{ appSecret = readEnvironment("MESSAGING_GATEWAY_APP_SECRET") }: ClientOptions,
	own: SigningForm,
): SigningForm["secret"][] {
	if (typeof appSecret !== "string") return [];
	// Words with hyphens are base64url, too; random bytes have digits and letters of both cases in it.
	const isRandom = /\d/.test(appSecret) && /[a-z]/.test(appSecret) && /[A-Z]/.test(appSecret);
	return ENCODINGS_OF_SECRETS.filter((encoding) => {
		if (encoding === own.secret) return false;
		if (encoding === "text") return true;
		const bytes = readSecretBytes(appSecret, encoding);
		return bytes.length >= MIN_ENCODED_BYTES && typeof bytes !== "string" && (encoding === "hex" || isRandom);
	});
}

/** What decides which forms differ: where a request goes, and what the secret may encode. */
interface SignedPlace {
	readonly hasBasePath: boolean;
	/** Whether its path has an escape. */
	readonly hasEscapes: boolean;
	/** What else than the client's profile says. */
	readonly secrets: readonly SigningForm["secret"][];
}

/** The forms that differ for a request without query and body, by how many choices are not the given ones: these first. */
export function formsFor(own: SigningForm, { hasBasePath, hasEscapes, secrets }: SignedPlace): SigningForm[] {
	const paths = PATHS.filter(
		(path) =>
			(hasBasePath || isWithoutBase(path) === isWithoutBase(own.path)) &&
			(hasEscapes || isDecoded(path) === isDecoded(own.path)),
	);
	const forms = TIMESTAMPS.flatMap((timestamp) =>
		paths.flatMap((path) =>
			EMPTY_BODIES.flatMap((emptyBody) =>
				[own.secret, ...secrets].map((secret) => ({ ...own, timestamp, path, emptyBody, secret })),
			),
		),
	);
	return forms.sort((left, right) => distance(left, own) - distance(right, own));
}

/** How many choices differ. A path that differs in both of its parts differs twice. */
function distance(form: SigningForm, own: SigningForm): number {
	return [
		form.secret !== own.secret,
		form.timestamp !== own.timestamp,
		form.emptyBody !== own.emptyBody,
		isDecoded(form.path) !== isDecoded(own.path),
		isWithoutBase(form.path) !== isWithoutBase(own.path),
	].filter(Boolean).length;
}

/** Whether a form signs the path with its escapes decoded. */
export function isDecoded(path: SigningForm["path"]): boolean {
	return path.startsWith("decoded");
}

function isWithoutBase(path: SigningForm["path"]): boolean {
	return path.endsWith("without_base_path");
}

/** The form that decodes the path if the given one does not, and the reverse. */
export function withOtherDecoding(form: SigningForm): SigningForm {
	const path = PATHS.find(
		(other) => isDecoded(other) !== isDecoded(form.path) && isWithoutBase(other) === isWithoutBase(form.path),
	);
	return { ...form, path: path ?? form.path };
}

/** The form as it is reported, without a custom function, which JSON cannot hold, and without the usual unit and secret. */
export function toChoices(
	{ canonicalBody, timestamp, secret, bodyForm: _, ...rest }: SigningForm,
	isOfBody: boolean,
): SigningChoices {
	return {
		...rest,
		...(isOfBody && typeof canonicalBody === "string" ? { canonicalBody } : {}),
		...(timestamp === "seconds" ? { timestamp } : {}),
		...(secret === "text" ? {} : { secret }),
	};
}

/** How a form differs from a client's, with the names of the profile; empty if it does not. */
export function describeDifferences(form: SigningForm, own: SigningForm): string {
	const names = ["secret", "path", "query", "emptyBody", "canonicalBody", "timestamp"] as const;
	const quote = ({ bodyForm, ...choices }: SigningForm, name: (typeof names)[number]): string =>
		name === "canonicalBody" ? describeBodies(choices[name], bodyForm) : `"${choices[name]}"`;
	return names
		.filter((name) => form[name] !== own[name])
		.map((name) => `${name} ${quote(form, name)} instead of ${quote(own, name)}`)
		.join(", ");
}

function describeBodies(form: SigningForm["canonicalBody"], found: BodyForm | undefined): string {
	if (form === "rfc8785") return `"${form}"`;
	if (typeof form === "string") return `"${form}" (like ${BODY_FORM_WORDS[form].library})`;
	return found === undefined ? "your function" : `with ${describeBodyForm(found)}`;
}
