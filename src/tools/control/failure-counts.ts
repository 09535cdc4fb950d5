/** What failed in each conversation. */
export class FailureCounts {
	readonly #failed = new Map<string, Set<object>>();

	/** Notes whether a thing of a conversation failed. */
	note(conversationKey: string | undefined, thing: object, hasFailed: boolean): void {
		if (conversationKey === undefined) return;
		const failed = this.#failed.get(conversationKey);
		if (!hasFailed) failed?.delete(thing);
		else if (failed === undefined) this.#failed.set(conversationKey, new Set([thing]));
		else failed.add(thing);
		if (failed?.size === 0) this.#failed.delete(conversationKey);
	}

	countOf(conversationKey: string): number {
		return this.#failed.get(conversationKey)?.size ?? 0;
	}

	reset(): void {
		this.#failed.clear();
	}
}
