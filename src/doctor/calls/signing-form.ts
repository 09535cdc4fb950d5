import type { SigningProfile } from "../../signing/dialect.ts";
import type { SigningChoices } from "./diagnosis.ts";

/** A signing profile with every default filled in. */
export type SigningForm = {
	readonly [Choice in keyof SigningProfile]-?: NonNullable<SigningProfile[Choice]>;
};

/** A client's signing form. */
export function toForm(signing: SigningProfile | undefined): SigningForm {
	return {
		canonicalBody: signing?.canonicalBody ?? "rfc8785",
		path: signing?.path ?? "request_line",
		query: signing?.query ?? "excluded",
		emptyBody: signing?.emptyBody ?? "empty_string",
	};
}

/** The form with the other choice of the path. */
export function withOtherPath(form: SigningForm): SigningForm {
	return { ...form, path: form.path === "request_line" ? "without_base_path" : "request_line" };
}

/** The form with the other choice of the query. */
export function withOtherQuery(form: SigningForm): SigningForm {
	return { ...form, query: form.query === "excluded" ? "included" : "excluded" };
}

/** The other forms for a request without query and body, the most similar first. */
export function otherForms(own: SigningForm, hasBasePath: boolean): SigningForm[] {
	const emptyBody = own.emptyBody === "empty_string" ? "empty_object" : "empty_string";
	const other = { ...own, emptyBody } as const;
	return hasBasePath ? [other, withOtherPath(own), withOtherPath(other)] : [other];
}

/** The form as it is reported, without a custom function, which JSON cannot hold. */
export function toChoices({ canonicalBody, ...rest }: SigningForm, isOfBody: boolean): SigningChoices {
	return isOfBody && typeof canonicalBody === "string" ? { ...rest, canonicalBody } : rest;
}

/** How a form differs from a client's, with the names of the profile; empty if it does not. */
export function describeDifferences(form: SigningForm, own: SigningForm): string {
	const names = ["path", "query", "emptyBody", "canonicalBody"] as const;
	return names
		.filter((name) => form[name] !== own[name])
		.map((name) => `${name} ${describeChoice(form[name])} instead of ${describeChoice(own[name])}`)
		.join(", ");
}

function describeChoice(choice: SigningForm[keyof SigningForm]): string {
	return typeof choice === "string" ? `"${choice}"` : "your function";
}
