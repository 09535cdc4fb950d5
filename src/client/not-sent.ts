import type { ForeignError } from "./safe-cause.ts";

/** Codes of errors before a connection exists. */
const CONNECTION_CODES: readonly string[] = [
	// Node and undici
	"ECONNREFUSED",
	"ENOTFOUND",
	"EAI_AGAIN",
	"UND_ERR_CONNECT_TIMEOUT",
	// Bun
	"ConnectionRefused",
	"FailedToOpenSocket",
	"DNSResolveFailed",
];

/**
 * Codes of Node and Bun for a rejected certificate. It is checked once for each connection, before a request is written
 * to it.
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const CERTIFICATE_CODES: readonly string[] = [
	"ERR_TLS_CERT_ALTNAME_INVALID",
	"CERT_CHAIN_TOO_LONG",
	"CERT_HAS_EXPIRED",
	"CERT_NOT_YET_VALID",
	"CERT_REJECTED",
	"CERT_REVOKED",
	"CERT_SIGNATURE_FAILURE",
	"CERT_UNTRUSTED",
	"CRL_HAS_EXPIRED",
	"CRL_NOT_YET_VALID",
	"CRL_SIGNATURE_FAILURE",
	"DEPTH_ZERO_SELF_SIGNED_CERT",
	"ERROR_IN_CERT_NOT_AFTER_FIELD",
	"ERROR_IN_CERT_NOT_BEFORE_FIELD",
	"ERROR_IN_CRL_LAST_UPDATE_FIELD",
	"ERROR_IN_CRL_NEXT_UPDATE_FIELD",
	"HOSTNAME_MISMATCH",
	"INVALID_CA",
	"INVALID_PURPOSE",
	"PATH_LENGTH_EXCEEDED",
	"SELF_SIGNED_CERT_IN_CHAIN",
	"UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
	"UNABLE_TO_DECRYPT_CERT_SIGNATURE",
	"UNABLE_TO_DECRYPT_CRL_SIGNATURE",
	"UNABLE_TO_GET_CRL",
	"UNABLE_TO_GET_ISSUER_CERT",
	"UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
	"UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

const NOT_SENT_CODES = new Set([...CONNECTION_CODES, ...CERTIFICATE_CODES]);

/**
 * Messages of errors that have no specific code:
 *
 * - a host may also become unreachable while a request is under way;
 * - undici gives a proxy that rejects the tunnel the code of any request that ended early;
 * - Node gives a connection that was closed within the handshake the code of any connection that was reset;
 * - OpenSSL has one code for a peer that never spoke TLS and for bytes that break a connection after the request: the
 *   function in this message checks records only until a version is agreed on. Before OpenSSL 3.2 one function did both;
 * - Deno has no codes, but reports that it was still connecting, which includes the handshake.
 *
 * Alerts and the other errors of TLS, and all of Bun's `EPROTO`, also come after a request was sent.
 */
const NOT_SENT_MESSAGE = new RegExp(
	[
		/^connect E(HOST|NET)UNREACH\b/,
		/^proxy response \(\d+\) !== 200 when http tunneling$/,
		/^Client network socket disconnected before secure TLS connection was established$/,
		/:SSL routines:tls_validate_record_header:wrong version number:/,
		/\bclient error \(connect\)|\btcp connect error\b|\bdns error\b/,
		/^bad port$/,
	]
		.map(({ source }) => source)
		.join("|"),
	"i",
);

/** Whether a transport's error proves that no connection was made, so that nothing reached the gateway. */
export function isNotSent({ code, rawMessage }: Pick<ForeignError, "code" | "rawMessage">): boolean {
	return NOT_SENT_CODES.has(code ?? "") || NOT_SENT_MESSAGE.test(rawMessage);
}
