import type { ClaimResult, EventStore } from "./event-store.ts";

/**
 * Releases the event of a claim that succeeded after its timeout: nobody works on the event. If the release
 * fails, the event stays held until the lease is over.
 */
export function releaseLate(store: Pick<EventStore, "release">, key: string, claim: ClaimResult): void {
	if (claim.status !== "acquired") return;
	void (async () => store.release(key, claim.token, { unused: true }))().catch(() => undefined);
}
