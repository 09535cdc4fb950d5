import { useEffect, useRef, useState } from "preact/hooks";
import type { Lists } from "../../../control/client/control-client.ts";
import type { Change, PageQuery } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { type HistoryState, ListHistory, UNLOADED } from "../state/list-history.ts";
import type { Sequenced } from "../state/list-window.ts";

/** Stands for a changed item of which only the gateway knows whether the query selects it. */
export const UNMATCHED = Symbol("unmatched");

/** How long the page waits after such a change before it looks for newer items; it does not wait again for the next one. */
const NEWS_DELAY_MS = 1_000;

/** A list that is loaded, and what loads more of it. */
export interface LoadedList<Item extends Sequenced> extends HistoryState<Item> {
	readonly history: { readonly current: ListHistory<Item> | undefined };
}

/** A list of the gateway that is loaded in pages. */
export interface HistoryOptions<Name extends keyof Lists> {
	readonly list: Name;
	/** Which of its items; an object with other values is another list. */
	readonly query: PageQuery;
	/** The item of a change, if it belongs to the list; it must be the same function for the same query. */
	readonly itemOf: (change: Change) => Lists[Name] | typeof UNMATCHED | undefined;
	/** The `sequence` of an item to begin around. */
	readonly around?: number | undefined;
}

/** Loads a list in pages and keeps it up to date; it begins with the newest items. */
export function useHistory<Name extends keyof Lists>({
	list,
	query,
	itemOf,
	around,
}: HistoryOptions<Name>): LoadedList<Lists[Name]> {
	const { client, follow } = useConsole();
	const [state, setState] = useState<HistoryState<Lists[Name]>>(UNLOADED);
	const history = useRef<ListHistory<Lists[Name]>>(undefined);
	const queryText = JSON.stringify(query);
	useEffect(() => {
		const selected: PageQuery = JSON.parse(queryText);
		const loaded = new ListHistory<Lists[Name]>(
			(page, signal) => client.page(list, { ...selected, ...page }, signal),
			setState,
		);
		history.current = loaded;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const lookLater = (): void => {
			timer ??= setTimeout(() => {
				timer = undefined;
				if (!loaded.lookForNewer()) lookLater();
			}, NEWS_DELAY_MS);
		};
		const stop = follow((changes) => {
			if (changes === "anew") {
				loaded.reload();
				return;
			}
			const items = changes.map(itemOf).filter((item) => item !== undefined);
			loaded.update(items.filter((item) => item !== UNMATCHED));
			if (items.includes(UNMATCHED)) lookLater();
		});
		loaded.showNewest();
		return () => {
			clearTimeout(timer);
			stop();
			loaded.close();
		};
	}, [client, follow, list, queryText, itemOf]);
	useEffect(() => {
		if (around !== undefined) history.current?.showAround(around);
	}, [around]);
	return { ...state, history };
}
