import type { Message } from "../catalogue/message.ts";
import { InputError } from "../errors.ts";

/** A page of a conversation. */
export interface HistoryPage {
	/** From the oldest on. */
	readonly messages: readonly Message[];
	readonly nextCursor: string | undefined;
}

/** As many messages as a page of the gateway has. */
const PAGE_SIZE = 50;

/**
 * Pages from the oldest message on. The gateway lists the newest first, so the oldest is known when all are listed. The
 * conversation that was listed last is remembered until its last page: the next page costs no listing.
 */
export class History {
	#listed: { readonly threadId: string; readonly messages: readonly Message[] } | undefined;

	/**
	 * @param list - lists the whole conversation, the newest message first.
	 * @throws InputError for a limit or cursor that is none.
	 */
	async page(
		threadId: string,
		{ limit = PAGE_SIZE, cursor }: { limit: number | undefined; cursor: string | undefined },
		list: () => Promise<Message[]>,
	): Promise<HistoryPage> {
		const start = Number(cursor ?? 0);
		if (!Number.isSafeInteger(start) || start < 0)
			throw new InputError("cursor must be nextCursor of a page with the same direction");
		if (!Number.isSafeInteger(limit) || limit < 1)
			throw new InputError("limit must be an integer of 1 or more");
		const known = start > 0 && this.#listed?.threadId === threadId ? this.#listed : undefined;
		const { messages } = known ?? { messages: (await list()).reverse() };
		const end = start + limit;
		const hasMore = end < messages.length;
		// Texts are kept no longer than they are of use.
		this.#listed = hasMore ? { threadId, messages } : undefined;
		return { messages: messages.slice(start, end), nextCursor: hasMore ? String(end) : undefined };
	}
}
