import { randomHex } from "../runtime.ts";

/** Names one call that records something: a client or a proxy that lost its response sends it again, and must find its own. */
export function createCallId(): string {
	return randomHex(8);
}
