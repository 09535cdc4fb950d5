import type { RawRequest } from "./api/form/read-request.ts";

/** A request of the log, for the page /docs. */
export interface RequestToRepeat extends RawRequest {
	readonly operationId: string;
}

const KEY = "messaging-gateway-request";

/** Keeps a request for /docs, if that is opened next in this tab. It is never part of an address. */
export function handOver(request: RequestToRepeat): void {
	sessionStorage.setItem(KEY, JSON.stringify(request));
}

export function takeHandOver(): RequestToRepeat | undefined {
	const kept = sessionStorage.getItem(KEY);
	if (kept === null) return undefined;
	sessionStorage.removeItem(KEY);
	// Only `handOver` of the same build writes it.
	const request: RequestToRepeat = JSON.parse(kept);
	return request;
}
