import type { Page } from "../../../control/contract.ts";

/** An item with its place in the order of all events. */
export interface Sequenced {
	readonly sequence: number;
}

/** Consecutive items of a list, the oldest first, and how many there are before and after them. */
export type ListWindow<Item> = Page<Item>;

/** The maximum number of items in a window; those at the far end are dropped, and loaded again when needed. */
export const MAX_WINDOW = 1_000;

export const EMPTY_WINDOW: ListWindow<never> = { items: [], older: 0, newer: 0 };

/** Adds the page before a window, and drops items at its end if there are too many. */
export function prepend<Item>(window: ListWindow<Item>, page: Page<Item>): ListWindow<Item> {
	const items = [...page.items, ...window.items];
	const dropped = Math.max(0, items.length - MAX_WINDOW);
	return {
		items: items.slice(0, items.length - dropped),
		older: page.older,
		newer: window.newer + dropped,
	};
}

/** Adds the page after a window, and drops items at its beginning if there are too many. */
export function append<Item>(window: ListWindow<Item>, page: Page<Item>): ListWindow<Item> {
	return dropOldest({ items: [...window.items, ...page.items], older: window.older, newer: page.newer });
}

/** Sets the new states of items. One outside the window is left out, unless it is the newest of the list. */
export function update<Item extends Sequenced>(
	window: ListWindow<Item>,
	changed: readonly Item[],
): ListWindow<Item> {
	if (changed.length === 0) return window;
	const items = [...window.items];
	for (const item of changed) {
		const at = items.findLastIndex(({ sequence }) => sequence <= item.sequence);
		const isKnown = items[at]?.sequence === item.sequence;
		if (isKnown) items[at] = item;
		else if (isWithin(window, at, items.length)) items.splice(at + 1, 0, item);
	}
	return dropOldest({ ...window, items });
}

/** Whether an item that comes after the one at `at` belongs to the window. */
function isWithin({ older, newer }: ListWindow<unknown>, at: number, length: number): boolean {
	if (at === length - 1) return newer === 0;
	return at >= 0 || older === 0;
}

function dropOldest<Item>({ items, older, newer }: ListWindow<Item>): ListWindow<Item> {
	const dropped = Math.max(0, items.length - MAX_WINDOW);
	return { items: items.slice(dropped), older: older + dropped, newer };
}
