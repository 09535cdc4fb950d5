import type { SigningProfile } from "../../../library/signing/dialect.ts";
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
	canonicalBody: "rfc8785",
	path: "request_line",
	query: "excluded",
	emptyBody: "empty_string",
	timestamp: "milliseconds",
};

/** Every choice that a call without query and body shows. */
const PATHS = ["request_line", "without_base_path", "decoded", "decoded_without_base_path"] as const;
const EMPTY_BODIES = ["empty_string", "empty_object"] as const;
const TIMESTAMPS = ["milliseconds", "seconds"] as const;

/** A client's signing form. */
export function toForm(signing: SigningProfile = {}): SigningForm {
	const given = Object.entries(signing).filter(([, choice]) => choice !== undefined);
	return { ...DEFAULTS, ...Object.fromEntries(given) };
}

/** Where a request goes, as far as it decides which forms differ. */
export interface SignedPlace {
	readonly hasBasePath: boolean;
	/** Whether its path has an escape. */
	readonly hasEscapes: boolean;
}

/** The forms that differ for a request without query and body: the given one first, then the most similar. */
export function formsFor(own: SigningForm, { hasBasePath, hasEscapes }: SignedPlace): SigningForm[] {
	const paths = first(own.path, PATHS).filter(
		(path) =>
			path === own.path ||
			((hasBasePath || isWithoutBase(path) === isWithoutBase(own.path)) &&
				(hasEscapes || isDecoded(path) === isDecoded(own.path))),
	);
	return first(own.timestamp, TIMESTAMPS).flatMap((timestamp) =>
		paths.flatMap((path) =>
			first(own.emptyBody, EMPTY_BODIES).map((emptyBody) => ({ ...own, timestamp, path, emptyBody })),
		),
	);
}

/** Whether a form signs the path with its escapes decoded. */
export function isDecoded(path: SigningForm["path"]): boolean {
	return path.startsWith("decoded");
}

function isWithoutBase(path: SigningForm["path"]): boolean {
	return path.endsWith("without_base_path");
}

function first<Choice>(own: Choice, choices: readonly Choice[]): Choice[] {
	return [own, ...choices.filter((choice) => choice !== own)];
}

/** The form with the other choice of the query. */
export function withOtherQuery(form: SigningForm): SigningForm {
	return { ...form, query: form.query === "excluded" ? "included" : "excluded" };
}

/** The form as it is reported, without a custom function, which JSON cannot hold, and without a documented unit. */
export function toChoices(
	{ canonicalBody, timestamp, bodyForm: _, ...rest }: SigningForm,
	isOfBody: boolean,
): SigningChoices {
	return {
		...rest,
		...(isOfBody && typeof canonicalBody === "string" ? { canonicalBody } : {}),
		...(timestamp === "seconds" ? { timestamp } : {}),
	};
}

/** How a form differs from a client's, with the names of the profile; empty if it does not. */
export function describeDifferences(form: SigningForm, own: SigningForm): string {
	const names = ["path", "query", "emptyBody", "canonicalBody", "timestamp"] as const;
	const quote = ({ bodyForm, ...choices }: SigningForm, name: (typeof names)[number]): string => {
		const choice = choices[name];
		const words =
			name === "canonicalBody" && bodyForm !== undefined ? `with ${describeBodyForm(bodyForm)}` : undefined;
		if (typeof choice !== "string") return words ?? "your function";
		return words === undefined ? `"${choice}"` : `"${choice}", ${words},`;
	};
	return names
		.filter((name) => form[name] !== own[name])
		.map((name) => `${name} ${quote(form, name)} instead of ${quote(own, name)}`)
		.join(", ");
}
