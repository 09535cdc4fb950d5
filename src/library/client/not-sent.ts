import { type ForeignError, readFailure } from "./safe-cause.ts";

/** The system calls before a request is written to a connection. */
const CONNECTING = /^(connect|getaddrinfo)$/;

/**
 * Codes of errors before a request is written to a connection. A certificate is checked once for each connection, before
 * that: its codes are those of OpenSSL, which Node and Bun use.
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const NOT_SENT_CODE = /* @__PURE__ */ anyOf(
	// Node and undici
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_(CONNECT_TIMEOUT|PRX_CONN|INVALID_ARG|NOT_SUPPORTED))$/,
	/^ERR_TLS_CERT_ALTNAME_INVALID$/,
	// Bun
	/^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed)$/,
	// OpenSSL
	/^((CERT|CRL|ERROR_IN_CERT|ERROR_IN_CRL|UNABLE_TO)_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/,
	/^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/,
);

/**
 * Messages of errors that have no specific code:
 *
 * - a transport that hands on the message of a system call without its name;
 * - undici gives a proxy that rejects the tunnel the code of any request that ended early;
 * - Node gives a connection that was closed within the handshake the code of any connection that was reset;
 * - OpenSSL has one code for a peer that never spoke TLS and for bytes that break a connection after the request: the
 *   function in this message checks records only until a version is agreed on. Before OpenSSL 3.2 one function did both;
 * - Deno has no codes, but reports that it was still connecting, which includes the handshake;
 * - arguments that `fetch` rejects, and connections that Deno does not permit, have none either.
 *
 * Alerts and the other errors of TLS, and all of Bun's `EPROTO`, also come after a request was sent.
 */
const NOT_SENT_MESSAGE = /* @__PURE__ */ anyOf(
	/^(connect|getaddrinfo) E[A-Z_]+\b/,
	/^proxy response \(\d+\) !== 200 when http tunneling$/,
	/^Client network socket disconnected before secure TLS connection was established$/,
	/:SSL routines:tls_validate_record_header:wrong version number:/,
	/\bclient error \(connect\)|\btcp connect error\b|\bdns error\b/,
	/^bad port$|\brequests to port \d+ are blocked$/,
	/^(RequestInit|Request constructor): |^failed to (construct 'Request'|execute 'fetch' on )/,
	/\b(instance ?of|of type) "?AbortSignal\b|^agent\.dispatch is not a function\b|^requires net access\b/,
);

/** The peer of an HTTP/2 connection closed the stream before it did anything with it (RFC 9113, section 8.7). */
const REFUSED_STREAM = /\bNGHTTP2_REFUSED_STREAM\b/;

/**
 * Whether a transport's error proves that nothing reached the gateway: it comes from before the request was written, or
 * the gateway's HTTP/2 says so. It is about the transport's last try.
 * @param timesWritten - how often the request is known to have been written to a connection: a transport that repeats
 * requests by itself may have sent it before its last try.
 */
export function isNotSent(failure: ForeignError, timesWritten = 0): boolean {
	if (REFUSED_STREAM.test(failure.rawMessage)) return timesWritten <= 1;
	return timesWritten === 0 && !(failure.isWritten ?? !failedBeforeSending(failure));
}

function failedBeforeSending({ code = "", syscall, errors, rawMessage }: ForeignError): boolean {
	// One for each address that was tried; the code is that of the first of them.
	if (errors.length > 0) return errors.every((error) => failedBeforeSending(readFailure(error)));
	return CONNECTING.test(syscall) || NOT_SENT_CODE.test(code) || NOT_SENT_MESSAGE.test(rawMessage);
}

function anyOf(...patterns: readonly RegExp[]): RegExp {
	return new RegExp(patterns.map(({ source }) => source).join("|"), "i");
}
