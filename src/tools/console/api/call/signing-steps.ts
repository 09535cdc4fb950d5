import type { PreparedRequest } from "../../../../library/client/request.ts";
import { signedPath, signWithSecret, toRequestLine } from "../../../../library/signing/dialect.ts";
import { sha256Hex } from "../../../../library/signing/hash.ts";
import { prepareHashing } from "../../../../library/signing/prepare-hashing.ts";
import type { SentRequest } from "./recorder.ts";

/** The steps of a request's signature (specification, section 5.1). */
export interface SigningSteps {
	/** The bytes that are hashed and sent, decoded; `undefined` for a request without a body. */
	readonly canonicalBody: string | undefined;
	readonly bodyBytes: number;
	readonly bodyHash: string;
	/** The lines of the string to sign, in order; a value is `undefined` until the request is sent. */
	readonly lines: readonly { readonly name: string; readonly value: string | undefined }[];
}

/** The steps of a request that is not sent yet. */
export function previewSigning({ method, url, body }: PreparedRequest): SigningSteps {
	return describeSteps(method, url, body, undefined, undefined);
}

/** The steps of a sent request. */
export function describeSigning({ method, url, body, headers }: SentRequest): SigningSteps {
	const timestamp = headers.get("X-Timestamp") ?? "";
	const nonce = headers.get("X-Nonce") ?? "";
	return describeSteps(method, url, body, timestamp, nonce);
}

/** Whether the secret produces the signature of a sent request. */
export function isSignatureOf({ method, url, body, headers }: SentRequest, appSecret: string): boolean {
	prepareHashing();
	const timestamp = Number(headers.get("X-Timestamp"));
	const nonce = headers.get("X-Nonce") ?? "";
	const unsigned = { method, line: toRequestLine(url), body, appId: "", timestamp, nonce };
	const { signature } = signWithSecret(unsigned, appSecret, undefined);
	return headers.get("Authorization") === `HMAC ${signature}`;
}

/** The string to sign; `undefined` if a line is not known yet. */
export function stringToSignOf({ lines }: SigningSteps): string | undefined {
	const values = lines.map(({ value }) => value);
	return values.includes(undefined) ? undefined : values.join("\n");
}

function describeSteps(
	method: string,
	url: string,
	body: Uint8Array | undefined,
	timestamp: string | undefined,
	nonce: string | undefined,
): SigningSteps {
	prepareHashing();
	const bodyHash = sha256Hex(body ?? "");
	return {
		canonicalBody: body === undefined ? undefined : new TextDecoder().decode(body),
		bodyBytes: body?.length ?? 0,
		bodyHash,
		lines: [
			{ name: "Method", value: method.toUpperCase() },
			{ name: "Path", value: signedPath(toRequestLine(url), undefined, undefined) },
			{ name: "Body hash", value: bodyHash },
			{ name: "X-Timestamp", value: timestamp },
			{ name: "X-Nonce", value: nonce },
		],
	};
}
