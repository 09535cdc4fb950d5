/**
 * A class that replaces `Promise`, as zone.js and bluebird do: async functions still return native
 * promises, which are no instances of it.
 */
export class ReplacedPromise<Value> extends Promise<Value> {
	/** Bluebird's has results of another shape, and older classes have none. */
	static override allSettled(): never {
		throw new Error("not everybody's Promise has allSettled as ECMAScript has it");
	}
}
