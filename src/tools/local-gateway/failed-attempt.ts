import { describeProxy, type EnvironmentProxy } from "../environment-proxy.ts";

export const RECEIVER_FAILURES = [
	"no_destination",
	"nobody_listens",
	"unknown_host",
	"port_blocked",
	"no_tls",
	"certificate",
	"connection_closed",
	"timed_out",
	"not_ended",
	"other",
] as const;

/** Why there is no response of a receiver, or no whole one. */
export type ReceiverFailure = (typeof RECEIVER_FAILURES)[number];

interface FailedAttempt {
	readonly failure: ReceiverFailure;
	/** The reason in words. */
	readonly error: string;
}

/**
 * Why a receiver did not respond, from the error of `fetch`.
 * @param proxy - what the request went through, to which the connection was made.
 */
export function describeFetchFailure(error: unknown, url: string, proxy?: EnvironmentProxy): FailedAttempt {
	const { origin, hostname, port } = new URL(url);
	const message = messageOf(error);
	const failure = BLOCKED_PORT.test(message) ? "port_blocked" : ofCode(codeOf(error) ?? "");
	if (proxy !== undefined && !SAME_THROUGH_PROXY.includes(failure)) {
		return { failure: "other", error: `no response from ${origin} through ${describeProxy(proxy)}` };
	}
	const words: Partial<Record<ReceiverFailure, string>> = {
		nobody_listens: `nobody listens at ${origin}`,
		unknown_host: `there is no host ${hostname}`,
		port_blocked: `fetch blocks port ${port}`,
		no_tls: `${origin} doesn't speak TLS`,
		certificate: `the certificate of ${origin} isn't trusted`,
		connection_closed: "the receiver closed the connection without a response",
	};
	return { failure, error: words[failure] ?? message };
}

const FAILURES: Readonly<Record<string, ReceiverFailure>> = {
	ECONNREFUSED: "nobody_listens",
	ConnectionRefused: "nobody_listens",
	ENOTFOUND: "unknown_host",
	EAI_AGAIN: "unknown_host",
	ECONNRESET: "connection_closed",
	UND_ERR_SOCKET: "connection_closed",
	EPROTO: "no_tls",
};

/** What is found before a proxy, or beyond it. */
const SAME_THROUGH_PROXY: readonly ReceiverFailure[] = ["port_blocked", "no_tls", "certificate"];

/** What undici and Deno say of a port that no `fetch` requests. */
const BLOCKED_PORT = /^bad port$|\brequests to port \d+ are blocked/;

function ofCode(code: string): ReceiverFailure {
	const known = FAILURES[code];
	if (known !== undefined) return known;
	if (code.startsWith("ERR_SSL_")) return "no_tls";
	return /CERT|UNABLE_TO_VERIFY/.test(code) ? "certificate" : "other";
}

/** The message of an error; of its cause, where Node's `fetch` says only that it failed. */
function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { message, cause } = error;
	const isBare = message === "fetch failed" && cause instanceof Error && cause.message !== "";
	return isBare ? cause.message : message;
}

/** Node reports the system's error as the cause, Bun reports it as the error itself. */
function codeOf(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	if ("code" in error && typeof error.code === "string") return error.code;
	return codeOf(error.cause);
}
