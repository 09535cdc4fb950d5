import type { EventStore } from "./event-store.ts";

type BindAndClaim = NonNullable<EventStore["bindAndClaim"]>;

/** A combined step of a store of ours, with the methods that it stands for. */
type TiedStep = BindAndClaim & { readonly steps?: Pick<EventStore, "bind" | "claim"> };

/** Ties a store's combined step to the store's `bind` and `claim`. */
export function tieSteps<Store extends Required<Pick<EventStore, "bind" | "claim" | "bindAndClaim">>>(
	store: Store,
): Store {
	const { bindAndClaim, bind, claim } = store;
	Object.assign(bindAndClaim, { steps: { bind, claim } });
	return store;
}

/** Around a store of ours somebody may have put another `bind` or `claim`, which its combined step would pass by. */
export function canCombine({ bindAndClaim, bind, claim }: EventStore): boolean {
	if (bindAndClaim === undefined || bind === undefined) return false;
	const { steps }: TiedStep = bindAndClaim;
	return steps === undefined || (steps.bind === bind && steps.claim === claim);
}
