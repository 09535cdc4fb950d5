import type { SignatureHeaders, SigningProfile } from "../../library/signing/dialect.ts";
import { BODY_FORM_WORDS } from "../body-form-words.ts";
import { ENCODING_WORDS, type EncodingOfSecret } from "../secret-encodings.ts";
import type { SecurityScheme } from "./document.ts";
import { INTERFACE_DOCS } from "./interface-docs.ts";

/** The name of the security scheme of each signed header. */
const SCHEMES = {
	"X-App-Id": "appId",
	"X-Timestamp": "timestamp",
	"X-Nonce": "nonce",
	Authorization: "signature",
} as const satisfies Record<keyof SignatureHeaders, string>;

/** The security requirement of a signed operation: all four headers. */
export const SIGNED = [Object.fromEntries(Object.values(SCHEMES).map((scheme) => [scheme, []]))];

/** The descriptions of the choices of a profile's `signing`. */
const PATHS = {
	request_line: "As it stands on the request line, escapes included.",
	without_base_path: "As it stands on the request line, without the path of the base address.",
	decoded: "As it stands on the request line, with its escapes decoded.",
	decoded_without_base_path: "Without the path of the base address, with its escapes decoded.",
};

const QUERIES = {
	excluded: "It is not signed.",
	included: "It is part of the path, with its question mark.",
	sorted: "It is part of the path, with its question mark and its parameters sorted by name.",
};

const EMPTY_BODIES = {
	empty_string: "Without a body, the empty string is hashed.",
	empty_object: "Without a body, the string {} is hashed.",
};

/** A scheme for each header of a signed request, with the choices of a profile. */
export function describeSecuritySchemes(signing: SigningProfile = {}): Record<string, SecurityScheme> {
	const { timestamp: unit = "milliseconds" } = signing;
	return {
		[SCHEMES["X-App-Id"]]: describeHeader("X-App-Id"),
		[SCHEMES["X-Timestamp"]]: {
			type: "apiKey",
			in: "header",
			name: "X-Timestamp",
			description: `Unix time in ${unit} at signing. It must lie within five minutes of the gateway's clock.`,
		},
		[SCHEMES["X-Nonce"]]: describeHeader("X-Nonce", "The gateway rejects one that was used before."),
		[SCHEMES.Authorization]: {
			...describeHeader("Authorization", HOW_TO_SIGN),
			"x-signing": describeSteps(signing),
		},
	};
}

const HOW_TO_SIGN =
	"Each request has its own (specification, section 5.1); `x-signing` shows how it is made. The App Secret is the " +
	"key and is never sent. `signRequest` of `messaging-gateway/signing` makes all four headers.";

function describeHeader(name: keyof SignatureHeaders, rule = ""): SecurityScheme {
	const description = `${INTERFACE_DOCS[`SignatureHeaders.${name}`] ?? ""} ${rule}`.trim();
	return { type: "apiKey", in: "header", name, description };
}

/** What a secret makes of the key. */
export function describeKey(secret: string, encoding: EncodingOfSecret = "text"): string {
	return encoding === "text"
		? `the ${secret}`
		: `the bytes that the ${secret} has in ${ENCODING_WORDS[encoding]}`;
}

function describeSteps(signing: SigningProfile): Record<string, string> {
	const { canonicalBody = "rfc8785", path = "request_line" } = signing;
	const { query = "excluded", emptyBody = "empty_string", secret } = signing;
	const body =
		typeof canonicalBody === "function"
			? "The string that the profile's function returns."
			: BODY_FORM_WORDS[canonicalBody].writes;
	return {
		header: "Authorization: HMAC {signature}",
		signature: `The HMAC-SHA-256 of stringToSign with ${describeKey("App Secret", secret)} as key, in lower-case hex.`,
		stringToSign: "{METHOD}\n{path}\n{bodyHash}\n{X-Timestamp}\n{X-Nonce}",
		bodyHash: `The SHA-256 of the body's bytes, in lower-case hex. ${EMPTY_BODIES[emptyBody]}`,
		body: `${body} Send exactly the bytes that were hashed.`,
		path: PATHS[path],
		query: QUERIES[query],
	};
}
