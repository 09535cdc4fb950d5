import type { PageInput } from "../../library/catalogue/input-fields.ts";
import { invalidField } from "./request-rejection.ts";

const DEFAULT_LIMIT = 50;

/** A page of a list in ascending order of `sequence`, read from either end. */
export interface CursorPage<Item> {
	items: Item[];
	nextCursor: string | null;
}

/**
 * Cuts a page out of a list. A cursor is the last item's sequence number: items added or removed between two pages do
 * not repeat or hide others.
 */
export function paginate<Item extends { readonly sequence: number }>(
	ascending: readonly Item[],
	{ limit = DEFAULT_LIMIT, cursor }: PageInput,
	order: "oldest_first" | "newest_first",
): CursorPage<Item> {
	const after = readCursor(cursor);
	const rest =
		order === "oldest_first"
			? ascending.filter(({ sequence }) => after === undefined || sequence > after)
			: ascending.filter(({ sequence }) => after === undefined || sequence < after).reverse();
	const items = rest.slice(0, limit);
	const last = items.at(-1);
	return { items, nextCursor: rest.length > limit && last !== undefined ? String(last.sequence) : null };
}

function readCursor(cursor: string | undefined): number | undefined {
	if (cursor === undefined) return undefined;
	if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
	throw invalidField("cursor", "must be the nextCursor of the previous page");
}
