import { serverUuid } from "../runtime.ts";

/**
 * Names one call that records something: a client or a proxy that lost its response sends it again, and must find its own.
 * 60 random bits, since it is compared only among calls for the same key.
 */
export function createCallId(): string {
	return serverUuid().slice(0, 18);
}
