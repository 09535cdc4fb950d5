import { Buffer } from "node:buffer";
import type { Profile } from "../../library/catalogue/profile.ts";
import {
	bodyBytes,
	readRequestLine,
	readTimestamp,
	writeStringToSign,
} from "../../library/signing/dialect.ts";
import type { ReceivedRequest } from "../../library/signing/verify-request.ts";
import { indented } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** The steps of a signature; absent ones do not apply. */
export interface SigningSteps {
	readonly canonicalBody?: string;
	readonly bodyHash?: string;
	readonly stringToSign?: string;
	readonly headers?: Readonly<object>;
}

/** Formats the steps for people: titles, with the indented values below them. */
export function describeSteps(terminal: Terminal, steps: SigningSteps): string {
	const { canonicalBody, bodyHash, stringToSign, headers } = steps;
	const headerLines = headers && Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	const parts: (readonly [string, string | undefined])[] = [
		["Canonical body", canonicalBody === "" ? "(none)" : canonicalBody],
		["Body hash (SHA-256)", bodyHash],
		["String to sign", stringToSign],
		["Headers", headerLines?.join("\n")],
	];
	return parts
		.filter((part): part is readonly [string, string] => part[1] !== undefined)
		.map(([title, value]) => `${terminal.paint("bold", title)}\n${indented(value)}`)
		.join("\n\n");
}

/** The expected signing steps of a received request; empty if they cannot be computed. */
export function receivedRequestSteps(request: ReceivedRequest, profile: Profile | undefined): SigningSteps {
	const { method, url, headers, body } = request;
	const signing = profile?.signing;
	try {
		const value =
			body === undefined || body.length === 0 ? undefined : JSON.parse(Buffer.from(body).toString());
		const canonical = bodyBytes(value, signing);
		const received = {
			method,
			line: readRequestLine(url),
			body: canonical,
			timestamp: readTimestamp(headers.get("X-Timestamp"), signing),
			nonce: headers.get("X-Nonce") ?? "",
		};
		const { bodyHash, stringToSign } = writeStringToSign(received, signing);
		return { canonicalBody: Buffer.from(canonical ?? []).toString(), bodyHash, stringToSign };
	} catch {
		return {};
	}
}
