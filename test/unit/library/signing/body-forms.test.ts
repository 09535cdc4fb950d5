import { CanonicalJsonError, canonicalize, hashBody, type SigningProfile } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import {
	BODY_FORMS,
	type BodyFormName,
	writeInBodyForm,
} from "../../../../src/library/signing/body-forms.ts";
import { catchError } from "../../../support/catch-error.ts";
import { sha256 } from "../../../support/node-crypto.ts";
import vectors from "../../../vectors/body_forms.json" with { type: "json" };

describe.each(BODY_FORMS)("%s", (form) => {
	test("is what Python or PHP writes", () => {
		expect(vectors.map(({ body }) => writeInBodyForm(body, form))).toEqual(
			vectors.map(({ forms }) => forms[form]),
		);
	});

	test("is hashed, by its name in a profile", () => {
		for (const { body, forms } of vectors) {
			expect(hashBody(body, { profile: { signing: { canonicalBody: form } } })).toBe(sha256(forms[form]));
		}
	});

	test("is stable: what it wrote is written the same again", () => {
		for (const { forms } of vectors) {
			expect(writeInBodyForm(JSON.parse(forms[form]), form)).toBe(forms[form]);
		}
	});

	test("rejects what has no canonical form", () => {
		for (const value of [{ a: Number.NaN }, { a: "\ud800" }, { a: 1n }, undefined]) {
			expect(catchError(() => writeInBodyForm(value, form))).toBeInstanceOf(CanonicalJsonError);
		}
	});
});

test("no form has the bytes of another one for a body with everything", () => {
	const body = { b: "é / <", a: [null, { c: null }] };
	expect(new Set(BODY_FORMS.map((form) => writeInBodyForm(body, form))).size).toBe(BODY_FORMS.length);
});

test("a space in a string is no separator, and a comma or colon in it gets none", () => {
	expect(writeInBodyForm({ "a,b": "c:d, e" }, "ascii_spaced")).toBe('{"a,b": "c:d, e"}');
});

test("numbers are as ECMAScript writes them in every form, also where other languages differ", () => {
	const numbers = [-0, 1e21, 1e-7, 2 ** 60];
	for (const form of BODY_FORMS) {
		expect(writeInBodyForm(numbers, form).replaceAll(" ", "")).toBe(canonicalize(numbers));
	}
});

test("an unknown name is an error where no profile is checked before", () => {
	const signing = { canonicalBody: "go" as BodyFormName } satisfies SigningProfile;
	expect(catchError(() => hashBody({}, { profile: { signing } }))).toMatchObject({
		code: "configuration",
		message: `profile.signing.canonicalBody must be one of ${BODY_FORMS.join(", ")}`,
	});
});
