import { nativeUuid } from "../host.ts";
import { randomHex } from "../runtime.ts";

/**
 * Names one call that records something: a client or a proxy that lost its response sends it again, and must find its own.
 * 60 random bits, since it is compared only among calls for the same key.
 */
export function createCallId(): string {
	// Servers keep random UUIDs ready: other random bytes cost many times as much.
	return (nativeUuid() ?? randomHex(9)).slice(0, 18);
}
