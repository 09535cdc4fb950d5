/**
 * A class in the place of `Promise`, as zone.js and bluebird put one there: async functions go on to return native
 * promises, which are no instances of it.
 */
export class ReplacedPromise<Value> extends Promise<Value> {
	/** That of bluebird has results of another shape, and older classes have none. */
	static override allSettled(): never {
		throw new Error("not everybody's Promise has allSettled as ECMAScript has it");
	}
}
