/** Does one thing after the other. */
export class Queue {
	#last: Promise<unknown> = Promise.resolve();

	/** Does this when everything before it is done, or has failed. */
	add<Result>(task: () => Promise<Result>): Promise<Result> {
		const done = this.#last.then(task);
		this.#last = done.catch(() => undefined);
		return done;
	}
}
