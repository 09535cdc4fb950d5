import { decodeHex } from "../../../library/signing/bytes.ts";
import { DIGEST_BYTES } from "../../../library/signing/hash.ts";
import { MAX_SIGNATURE_HEADER_LENGTH, MAX_SIGNATURES } from "../../../library/webhooks/verify-signature.ts";
import { decodeBase64 } from "../../decode-base64.ts";
import { asGiven, before, type Candidate } from "./candidate.ts";
import type { Mistake } from "./explanation.ts";

/** Fewer bytes could match by chance. */
const MIN_TRUNCATED_BYTES = 8;

/** What the signature header claims: the whole HMAC, or its first bytes if the rest was cut off. */
export type ClaimedSignature = Candidate<Uint8Array>;

/** Every signature in the header that can be recognized, in any form. */
export function readClaims(header: string, name: string): ClaimedSignature[] {
	return header
		.slice(0, MAX_SIGNATURE_HEADER_LENGTH)
		.split(",", MAX_SIGNATURES)
		.flatMap((entry) => readEntry(entry, name));
}

/** Faults for which the verification rejects the signature header. */
export function findSignatureFaults(
	header: string,
	name: string,
	claims: readonly ClaimedSignature[],
): Mistake[] {
	if (
		header.length > MAX_SIGNATURE_HEADER_LENGTH ||
		header.split(",", MAX_SIGNATURES + 1).length > MAX_SIGNATURES
	) {
		return [
			{
				cause: "too_many_signatures",
				message: `${name} holds more than ${MAX_SIGNATURES} signatures or ${MAX_SIGNATURE_HEADER_LENGTH} characters.`,
				fix: "Find the proxy that adds to the header, and let it pass the sender's header on as it is.",
			},
		];
	}
	if (claims.some(({ mistakes }) => mistakes.length === 0)) return [];
	const [first] = claims.flatMap(({ mistakes }) => mistakes);
	return [first ?? describeMalformed(header, name)];
}

/** One entry between commas; it may be several that were joined with something else. */
function readEntry(entry: string, name: string): ClaimedSignature[] {
	const wellFormed = readHex(/^[ \t]*v1=([0-9A-Fa-f]+)[ \t]*$/.exec(entry)?.[1]);
	if (wellFormed !== undefined) return [asGiven(wellFormed)];
	const words = entry
		.replace(/["']/g, "")
		.replace(/\s*=\s*/g, "=")
		.split(/[\s;]+|(?=v1=[0-9a-f])/i)
		.filter((word) => word !== "");
	const claims = words.flatMap((word) => readWord(word, name));
	if (claims.length < 2) return claims;
	return claims.map(({ value }) =>
		before(
			value,
			"signatures_joined",
			`${name} holds several signatures that aren't separated by commas.`,
			"Let the proxy in front pass the header on as it is, or join its values with commas.",
		),
	);
}

function readWord(word: string, name: string): ClaimedSignature[] {
	const [, scheme = "", digits = ""] = /^(?:([A-Za-z]\w{0,15})=)?(.*)$/s.exec(word) ?? [];
	const hex = readHex(digits);
	if (hex !== undefined && scheme === "v1") {
		return [
			before(
				hex,
				"signature_malformed",
				`${name} has quotes, spaces or other characters around its signature.`,
				"Send the header as v1= and 64 hex digits, with nothing around them.",
			),
		];
	}
	if (hex !== undefined) {
		return [
			before(
				hex,
				"signature_scheme",
				`${name} ${scheme === "" ? "has no scheme" : "has another scheme than v1"} before its 64 hex digits.`,
				"Send the header as v1= and the hex digits; if it comes from another service, verify it with that service's library.",
			),
		];
	}
	const bytes = decodeBase64(digits);
	if (bytes?.length === DIGEST_BYTES) {
		return [
			before(
				bytes,
				"signature_in_base64",
				`${name} holds the signature in base64.`,
				"Send the signature in hex, as v1= and 64 digits.",
			),
		];
	}
	return readTruncated(digits, name);
}

function readTruncated(digits: string, name: string): ClaimedSignature[] {
	const length = Math.floor(digits.length / 2);
	if (length < MIN_TRUNCATED_BYTES || length >= DIGEST_BYTES || !/^[0-9a-f]+$/i.test(digits)) return [];
	const bytes = decodeHex(digits.slice(0, length * 2), length);
	if (bytes === undefined) return [];
	return [
		before(
			bytes,
			"signature_truncated",
			`${name} holds ${digits.length} hex digits instead of ${DIGEST_BYTES * 2}.`,
			"Look for what cuts the header on its way, such as a proxy with a length limit, or for a sender that doesn't use SHA-256.",
		),
	];
}

function describeMalformed(header: string, name: string): Mistake {
	const digits = /=([0-9a-f]+)\s*$/i.exec(header)?.[1]?.length;
	const otherHash = { 96: "SHA-384", 128: "SHA-512" }[digits ?? 0];
	return {
		cause: "signature_malformed",
		message:
			otherHash === undefined
				? `${name} holds no signature of the form v1= and 64 hex digits.`
				: `${name} holds ${digits} hex digits, the length of ${otherHash} instead of SHA-256.`,
		fix: "Send the HMAC-SHA-256 as v1= and 64 hex digits, and check that no proxy changes the header.",
	};
}

function readHex(digits: string | undefined): Uint8Array | undefined {
	return digits === undefined ? undefined : decodeHex(digits, DIGEST_BYTES);
}
