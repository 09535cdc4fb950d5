import { providePortable } from "./hash.ts";
import { nobleHashing } from "./hash-noble.ts";

/**
 * Makes hashing ready where nothing can be awaited: @noble/hashes is loaded with the module, for the runtimes that have
 * no hashing of their own. In a file of its own, so that who bundles only what can wait loads it when it is needed.
 */
export function prepareHashing(): void {
	providePortable(nobleHashing);
}
