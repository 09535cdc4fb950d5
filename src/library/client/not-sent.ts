import type { ForeignError } from "./safe-cause.ts";

/**
 * Codes of errors before a request is written to a connection. A certificate is checked once for each connection, before
 * that: its codes are those of OpenSSL, which Node and Bun use.
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const NOT_SENT_CODE = /* @__PURE__ */ anyOf(
	// Node and undici
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID)$/,
	// Bun
	/^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed)$/,
	// OpenSSL
	/^((CERT|CRL|ERROR_IN_CERT|ERROR_IN_CRL|UNABLE_TO)_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/,
	/^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
);

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
const NOT_SENT_MESSAGE = /* @__PURE__ */ anyOf(
	/^connect E(HOST|NET)UNREACH\b/,
	/^proxy response \(\d+\) !== 200 when http tunneling$/,
	/^Client network socket disconnected before secure TLS connection was established$/,
	/:SSL routines:tls_validate_record_header:wrong version number:/,
	/\bclient error \(connect\)|\btcp connect error\b|\bdns error\b/,
	/^bad port$/,
);

/** Whether a transport's error proves that no connection was made, so that nothing reached the gateway. */
export function isNotSent({ code = "", rawMessage }: Pick<ForeignError, "code" | "rawMessage">): boolean {
	return NOT_SENT_CODE.test(code) || NOT_SENT_MESSAGE.test(rawMessage);
}

function anyOf(...patterns: readonly RegExp[]): RegExp {
	return new RegExp(patterns.map(({ source }) => source).join("|"), "i");
}
