import type { ClaimResult, EventStore } from "./event-store.ts";

/**
 * Lets go what a claim got whose answer came too late to be waited for: nobody works on the event, and it would stay
 * taken until its lease is over. Where that fails, it does.
 */
export function releaseLate(store: Pick<EventStore, "release">, key: string, claim: ClaimResult): void {
	if (claim.status !== "acquired") return;
	void (async () => store.release(key, claim.token, { unused: true }))().catch(() => undefined);
}
