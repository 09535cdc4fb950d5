import type { PreparedRequest } from "../../../../library/client/request.ts";
import { signedPath, toRequestLine } from "../../../../library/signing/dialect.ts";
import { sha256Hex } from "../../../../library/signing/hash.ts";
import { signRequest } from "../../../../library/signing/sign-request.ts";
import type { SentRequest } from "./make-call.ts";

/** The steps of a request's signature (specification, section 5.1). */
export interface RequestSigningSteps {
	/** The bytes that are hashed and sent, decoded; `undefined` for a request without a body. */
	readonly canonicalBody: string | undefined;
	readonly bodyBytes: number;
	readonly bodyHash: string;
	/** The lines of the string to sign, in order; a value is `undefined` until the request is sent. */
	readonly lines: readonly { readonly name: string; readonly value: string | undefined }[];
}

/** The steps of a request that is sent, or only prepared. */
export function describeSigningSteps(request: SentRequest | PreparedRequest): RequestSigningSteps {
	const { method, url, body } = request;
	const headers: Readonly<Record<string, string | undefined>> = request.headers ?? {};
	const bodyHash = sha256Hex(body ?? "");
	return {
		canonicalBody: body === undefined ? undefined : new TextDecoder().decode(body),
		bodyBytes: body?.length ?? 0,
		bodyHash,
		lines: [
			{ name: "Method", value: method.toUpperCase() },
			{ name: "Path", value: signedPath(toRequestLine(url), undefined, undefined) },
			{ name: "Body hash", value: bodyHash },
			{ name: "X-Timestamp", value: headers["X-Timestamp"] },
			{ name: "X-Nonce", value: headers["X-Nonce"] },
		],
	};
}

/** The string to sign; `undefined` if a line is not known yet. */
export function stringToSignOf({ lines }: RequestSigningSteps): string | undefined {
	const values = lines.map(({ value }) => value);
	return values.includes(undefined) ? undefined : values.join("\n");
}

/** Whether the SDK makes the signature of a sent request again with this secret. */
export function isSignatureOf({ method, url, body, headers }: SentRequest, appSecret: string): boolean {
	const { "X-App-Id": appId = "", "X-Timestamp": timestamp, "X-Nonce": nonce = "" } = headers;
	const value: unknown = body && JSON.parse(new TextDecoder().decode(body));
	const request = { method, url, body: value, appId, appSecret, timestamp: Number(timestamp), nonce };
	return headers["Authorization"] === `HMAC ${signRequest(request).signature}`;
}
