/** How long a gateway asks to wait before the next request, in milliseconds; `undefined` if it does not. */
export function waitOf({ status, headers }: Response): number | undefined {
	if (status !== 429 && status !== 503) return undefined;
	const given = headers.get("retry-after");
	if (given === null) return status === 429 ? 1_000 : undefined;
	const seconds = Number(given);
	const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1_000;
	return Number.isNaN(ms) ? 1_000 : Math.max(0, ms);
}

/** The longest that a gateway may ask to wait. */
export const MAX_WAIT_MS = 30_000;
