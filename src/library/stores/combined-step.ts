import type { EventStore } from "./event-store.ts";

type BindAndClaim = NonNullable<EventStore["bindAndClaim"]>;

/** A combined step of a store of ours, with the methods that it stands for. */
export type TiedStep = BindAndClaim & { readonly steps?: Pick<EventStore, "bind" | "claim"> };

/** Ties a store's combined step to the store's `bind` and `claim`. */
export function tieSteps<Store extends Required<Pick<EventStore, "bind" | "claim" | "bindAndClaim">>>(
	store: Store,
): Store {
	const { bindAndClaim, bind, claim } = store;
	Object.assign(bindAndClaim, { steps: { bind, claim } });
	return store;
}
