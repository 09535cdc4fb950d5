/** A request of the log, for the page /docs. */
export interface RequestToRepeat {
	readonly operationId: string;
	readonly path: string;
	/** With its question mark, or empty. */
	readonly query: string;
	readonly body: string;
}

const KEY = "messaging-gateway-request";

/** Keeps a request for /docs, if that is opened next in this tab. It is never part of an address. */
export function handOver(request: RequestToRepeat): void {
	sessionStorage.setItem(KEY, JSON.stringify(request));
}

/** Returns and removes the request that was handed over. */
export function takeHandOver(): RequestToRepeat | undefined {
	const kept = sessionStorage.getItem(KEY);
	if (kept === null) return undefined;
	sessionStorage.removeItem(KEY);
	// Only `handOver` of the same build writes it.
	const request: RequestToRepeat = JSON.parse(kept);
	return request;
}
