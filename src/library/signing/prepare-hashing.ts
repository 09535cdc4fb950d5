import { providePortable } from "./hash.ts";
import { nobleHashing } from "./hash-noble.ts";

/**
 * Makes hashing ready where nothing can be awaited: @noble/hashes is loaded with the module, for the runtimes that have
 * no hashing of their own. It has its own file so that a bundle of code that can wait does not load it at its start.
 */
export function prepareHashing(): void {
	providePortable(nobleHashing);
}
