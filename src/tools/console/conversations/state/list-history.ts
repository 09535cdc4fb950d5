import type { Page, PageQuery } from "../../../control/contract.ts";
import {
	append,
	EMPTY_WINDOW,
	type ListWindow,
	MAX_WINDOW,
	prepend,
	type Sequenced,
	update,
} from "./list-window.ts";

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

	loadOlder(): void {
		const { window, loading } = this.#state;
		const [first] = window.items;
		if (loading !== null || window.older === 0 || first === undefined) return;
		this.#start("older", async (signal) =>
			prepend(this.#state.window, await this.#load({ limit: PAGE_SIZE, before: first.sequence }, signal)),
		);
	}

	loadNewer(): void {
		const { window, loading } = this.#state;
		const last = window.items.at(-1);
		if (loading !== null || window.newer === 0 || last === undefined) return;
		this.#start("newer", async (signal) =>
			append(this.#state.window, await this.#load({ limit: PAGE_SIZE, after: last.sequence }, signal)),
		);
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
