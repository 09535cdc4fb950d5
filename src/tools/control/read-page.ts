import type { Page, PageQuery } from "./contract.ts";

/** The default of a query's `limit`. */
const DEFAULT_LIMIT = 100;

/** How a list is filtered. */
export interface ListFilters<Item> {
	readonly conversationOf?: (item: Item) => string | undefined;
	/** Absent if the items have no kind. */
	readonly kindOf?: (item: Item) => string;
	readonly isFailed: (item: Item) => boolean;
	/** Absent if no item is a request of the doctor. */
	readonly isProbe?: (item: Item) => boolean;
	/** All that a search looks at. */
	readonly textsOf: (item: Item) => readonly (string | null | undefined)[];
}

/** Selects items of a list that begins with the oldest: the newest that match, or with `after` the oldest of them. */
export function readPage<Item extends { readonly sequence: number }>(
	items: readonly Item[],
	query: PageQuery,
	filters: ListFilters<Item>,
): Page<Item> {
	const { before = Number.POSITIVE_INFINITY, after, limit = DEFAULT_LIMIT } = query;
	const matching = items.filter(createFilter(query, filters));
	const indexOf = (isFound: (item: Item) => boolean): number => {
		const index = matching.findIndex(isFound);
		return index === -1 ? matching.length : index;
	};
	const first = after === undefined ? 0 : indexOf(({ sequence }) => sequence > after);
	const end = Math.max(
		first,
		indexOf(({ sequence }) => sequence >= before),
	);
	const [from, to] =
		after === undefined ? [Math.max(first, end - limit), end] : [first, Math.min(first + limit, end)];
	return { items: matching.slice(from, to), older: from, newer: matching.length - to };
}

function createFilter<Item>(
	{ conversation, kind, failed = false, probe, search = "" }: PageQuery,
	{ conversationOf, kindOf, isFailed, isProbe = () => false, textsOf }: ListFilters<Item>,
): (item: Item) => boolean {
	const sought = search.toLowerCase();
	return (item) =>
		(conversation === undefined || conversationOf?.(item) === conversation) &&
		(kind === undefined || kindOf?.(item) === kind) &&
		(!failed || isFailed(item)) &&
		(probe === undefined || isProbe(item) === probe) &&
		(sought === "" || textsOf(item).some((text) => text?.toLowerCase().includes(sought)));
}
