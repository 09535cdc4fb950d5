import type { Page, PageQuery } from "../../../control/contract.ts";

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

const PAGE_SIZE = 60;

const MAX_PAGE_SIZE = 500;

/** The part of a list that is loaded, and what is being loaded. */
export interface HistoryState<Item> {
	readonly window: ListWindow<Item>;
	readonly isLoaded: boolean;
	readonly loading: "older" | "newer" | "all" | null;
	readonly problem: string | null;
}

export const UNLOADED: HistoryState<never> = {
	window: EMPTY_WINDOW,
	isLoaded: false,
	loading: "all",
	problem: null,
};

type Load<Item> = (query: PageQuery & { readonly limit: number }, signal: AbortSignal) => Promise<Page<Item>>;

/** Loads a list in pages, and keeps what is loaded up to date. It begins with the newest items. */
export class ListHistory<Item extends Sequenced> {
	readonly #load: Load<Item>;
	readonly #onState: (state: HistoryState<Item>) => void;
	#state: HistoryState<Item> = UNLOADED;
	#request: AbortController | undefined;
	/** Changes while something is loading, which may be newer than what arrives. */
	#missed: Item[] = [];
	#retry = (): void => {};

	constructor(load: Load<Item>, onState: (state: HistoryState<Item>) => void) {
		this.#load = load;
		this.#onState = onState;
	}

	showNewest(): void {
		this.#start("all", async (signal) => this.#load({ limit: PAGE_SIZE }, signal));
	}

	/** Loads the items around one, unless it is loaded. */
	showAround(sequence: number): void {
		if (this.#state.window.items.some((item) => item.sequence === sequence)) return;
		this.#start("all", async (signal) => {
			const [before, after] = await Promise.all([
				this.#load({ limit: PAGE_SIZE, before: sequence + 1 }, signal),
				this.#load({ limit: PAGE_SIZE, after: sequence }, signal),
			]);
			return append(before, after);
		});
	}

	loadMore(side: "older" | "newer"): void {
		const { window, loading } = this.#state;
		const [add, edge] = side === "older" ? [prepend, window.items[0]] : [append, window.items.at(-1)];
		if (loading !== null || window[side] === 0 || edge === undefined) return;
		const place = side === "older" ? { before: edge.sequence } : { after: edge.sequence };
		this.#start(side, async (signal) => {
			const page = await this.#load({ limit: PAGE_SIZE, ...place }, signal);
			return add(this.#state.window, page);
		});
	}

	/** Loads the same part again, because changes may have been missed; the newest items if it is no longer there. */
	reload(): void {
		const { window, loading } = this.#state;
		const [first] = window.items;
		if (loading === "all") this.#retry();
		else if (first === undefined) this.showNewest();
		else {
			const count = window.newer === 0 ? MAX_WINDOW : window.items.length;
			this.#start("all", async (signal) => {
				const part = await this.#loadFrom(first.sequence, count, signal);
				return part.items.length > 0 ? part : this.#load({ limit: PAGE_SIZE }, signal);
			});
		}
	}

	retry(): void {
		this.#retry();
	}

	update(changed: readonly Item[]): void {
		if (changed.length === 0) return;
		if (this.#state.loading !== null) this.#missed.push(...changed);
		this.#set({ window: update(this.#state.window, changed) });
	}

	close(): void {
		this.#request?.abort();
	}

	/** Loads up to so many items from one on. */
	async #loadFrom(sequence: number, count: number, signal: AbortSignal): Promise<ListWindow<Item>> {
		let part: ListWindow<Item> | undefined;
		do {
			const after = part?.items.at(-1)?.sequence ?? sequence - 1;
			const limit = Math.min(MAX_PAGE_SIZE, count - (part?.items.length ?? 0));
			const page = await this.#load({ limit, after }, signal);
			part = part === undefined ? page : append(part, page);
		} while (part.newer > 0 && part.items.length < count);
		return part;
	}

	#start(loading: "older" | "newer" | "all", read: (signal: AbortSignal) => Promise<ListWindow<Item>>): void {
		this.#request?.abort();
		const request = new AbortController();
		this.#request = request;
		this.#missed = [];
		this.#retry = () => this.#start(loading, read);
		this.#set({ loading, problem: null });
		read(request.signal).then(
			(window) => {
				if (request.signal.aborted) return;
				const missed = this.#missed;
				this.#missed = [];
				this.#set({ window: update(window, missed), isLoaded: true, loading: null });
			},
			(error: unknown) => {
				if (request.signal.aborted) return;
				this.#set({ loading: null, problem: error instanceof Error ? error.message : String(error) });
			},
		);
	}

	#set(fields: Partial<HistoryState<Item>>): void {
		this.#state = { ...this.#state, ...fields };
		this.#onState(this.#state);
	}
}
