import type { SigningProfile } from "../signing/dialect.ts";
import type { SignatureHeaders } from "../signing/sign-request.ts";
import type { ParameterObject, Reference, SecurityScheme } from "./document.ts";
import { INTERFACE_DOCS } from "./interface-docs.ts";

/** The name of the security scheme. */
const SCHEME = "signature";

/** The security requirement of a signed operation. */
export const SIGNED = [{ [SCHEME]: [] }];

/** The signed headers beside `Authorization`, for which OpenAPI has the security scheme. */
const HEADER_SCHEMAS: Record<Exclude<keyof SignatureHeaders, "Authorization">, ParameterObject["schema"]> = {
	"X-App-Id": { type: "string" },
	"X-Timestamp": { type: "integer" },
	"X-Nonce": { type: "string", format: "uuid" },
};

/** The parameters of the signed headers. */
export const SIGNED_HEADERS: Record<string, ParameterObject> = Object.fromEntries(
	Object.entries(HEADER_SCHEMAS).map(([name, schema]) => {
		const description = INTERFACE_DOCS[`SignatureHeaders.${name}`] ?? "";
		return [name, { name, in: "header", required: true, description, schema }];
	}),
);

/** References to them, for an operation. */
export const SIGNED_HEADER_REFERENCES: Reference[] = Object.keys(SIGNED_HEADERS).map((name) => ({
	$ref: `#/components/parameters/${name}`,
}));

/** The choices of a profile (specification, section 5.1; our assumption where it shows nothing). */
const CANONICAL_BODIES = {
	rfc8785: "The canonical JSON of RFC 8785. Send exactly the bytes that were hashed.",
	json: "JSON without whitespace, with the fields in their own order. Send exactly the bytes that were hashed.",
	custom: "The string that the profile's function returns. Send exactly the bytes that were hashed.",
};

const PATHS = {
	request_line: "As it stands on the request line, escapes included.",
	without_base_path: "As it stands on the request line, without the path of the base address.",
	decoded: "As it stands on the request line, with its escapes decoded.",
	decoded_without_base_path: "Without the path of the base address, with its escapes decoded.",
};

const QUERIES = {
	excluded: "It is not signed.",
	included: "It is part of the path, with its question mark.",
};

const EMPTY_BODIES = {
	empty_string: "Without a body, the empty string is hashed.",
	empty_object: "Without a body, the string {} is hashed.",
};

/** The scheme of signed requests, with the choices of a profile. */
export function describeSigning(signing: SigningProfile = {}): Record<string, SecurityScheme> {
	const { canonicalBody = "rfc8785", path = "request_line" } = signing;
	const { query = "excluded", emptyBody = "empty_string" } = signing;
	const bodyForm = typeof canonicalBody === "function" ? "custom" : canonicalBody;
	const scheme: SecurityScheme = {
		type: "apiKey",
		in: "header",
		name: "Authorization",
		description:
			"`HMAC ` and the signature of this one request (specification, section 5.1). `x-signing` shows how it is made. " +
			"The App Secret is the key and is never sent. The timestamp must lie within five minutes of the gateway's " +
			"clock, and a nonce must not be used twice.",
		"x-signing": {
			header: "Authorization: HMAC {signature}",
			signature: "The HMAC-SHA-256 of stringToSign with the App Secret as key, in lower-case hex.",
			stringToSign: "{METHOD}\n{path}\n{bodyHash}\n{X-Timestamp}\n{X-Nonce}",
			bodyHash: `The SHA-256 of the body's bytes, in lower-case hex. ${EMPTY_BODIES[emptyBody]}`,
			body: CANONICAL_BODIES[bodyForm],
			path: PATHS[path],
			query: QUERIES[query],
		},
	};
	return { [SCHEME]: scheme };
}
