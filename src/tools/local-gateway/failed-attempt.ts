import { describeProxy, type EnvironmentProxy } from "../environment-proxy.ts";

export const RECEIVER_FAILURES = [
	"no_destination",
	"nobody_listens",
	"unknown_host",
	"no_tls",
	"certificate",
	"connection_closed",
	"timed_out",
	"other",
] as const;

/** Why a receiver did not respond. */
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
	const { origin, hostname } = new URL(url);
	const code = codeOf(error) ?? "";
	const failure = FAILURES[code] ?? familyOf(code);
	const message = error instanceof Error ? error.message : String(error);
	if (proxy !== undefined && failure !== "no_tls" && failure !== "certificate") {
		return { failure: "other", error: `no response from ${origin} through ${describeProxy(proxy)}` };
	}
	const words: Partial<Record<ReceiverFailure, string>> = {
		nobody_listens: `nobody listens at ${origin}`,
		unknown_host: `there is no host ${hostname}`,
		no_tls: `${origin} does not speak TLS`,
		certificate: `the certificate of ${origin} is not trusted`,
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

function familyOf(code: string): ReceiverFailure {
	if (code.startsWith("ERR_SSL_")) return "no_tls";
	return /CERT|UNABLE_TO_VERIFY/.test(code) ? "certificate" : "other";
}

/** Node reports the system's error as the cause, Bun reports it as the error itself. */
function codeOf(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	if ("code" in error && typeof error.code === "string") return error.code;
	return codeOf(error.cause);
}
