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
		// A cursor is a position, as it is written in nextCursor.
		const start = cursor === undefined ? 0 : /^[1-9]\d*$/.test(cursor) ? Number(cursor) : Number.NaN;
		if (![start, limit].every(Number.isSafeInteger) || limit < 1)
			throw new InputError("limit must be an integer of 1 or more, and cursor the nextCursor of such a page");
		const listed =
			start > 0 && this.#listed?.threadId === threadId
				? this.#listed
				: { threadId, messages: (await list()).reverse() };
		const end = start + limit;
		// Texts are kept no longer than they are of use.
		this.#listed = end < listed.messages.length ? listed : undefined;
		return { messages: listed.messages.slice(start, end), nextCursor: this.#listed && String(end) };
	}
}
