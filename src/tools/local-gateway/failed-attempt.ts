/** Describes why a receiver did not respond, from the error of `fetch`. */
export function describeFetchFailure(error: unknown, url: string): string {
	const { origin, hostname } = new URL(url);
	const reasons: Readonly<Record<string, string>> = {
		ECONNREFUSED: `nobody listens at ${origin}`,
		ConnectionRefused: `nobody listens at ${origin}`,
		ENOTFOUND: `there is no host ${hostname}`,
		ECONNRESET: "the receiver closed the connection without a response",
		UND_ERR_SOCKET: "the receiver closed the connection without a response",
	};
	const message = error instanceof Error ? error.message : String(error);
	return reasons[codeOf(error) ?? ""] ?? message;
}

/** Node reports the system's error as the cause, Bun reports it as the error itself. */
function codeOf(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	if ("code" in error && typeof error.code === "string") return error.code;
	return codeOf(error.cause);
}
