import { useEffect, useState } from "preact/hooks";

/** Stands in an address for the timeline of all contacts. */
export const ALL_ACTIVITY = "";

export interface Selection {
	/** The conversation in view, or {@link ALL_ACTIVITY}; `null` for the list of contacts. */
	readonly key: string | null;
	/** The `sequence` of the entry in the drawer. */
	readonly at: number | undefined;
}

/** The fragment that selects a timeline, or an entry in it. The browser's back button then leads to the list. */
export function linkTo(conversation: string, at?: number): string {
	return `#${new URLSearchParams({ conversation, ...(at === undefined ? {} : { at: String(at) }) })}`;
}

/**
 * Selects a timeline, an entry in it, or the list. It does not follow the link, which would move the focus. From one entry to
 * the next there is no step in the browser's history, so that going back closes the drawer.
 */
export function select(key: string | null, at?: number): void {
	const fragment = key === null ? "" : linkTo(key, at);
	if (fragment === location.hash) return;
	const url = `${location.pathname}${location.search}${fragment}`;
	const isDrawer = at !== undefined;
	if (isDrawer && readSelection().at !== undefined) history.replaceState(history.state, "", url);
	else history.pushState({ isDrawer }, "", url);
	// Neither fires an event.
	dispatchEvent(new PopStateEvent("popstate"));
}

/** Closes the drawer: goes back to where it was opened. */
export function closeDrawer(): void {
	const { key, at } = readSelection();
	if (at === undefined) return;
	if (Reflect.get(Object(history.state), "isDrawer") === true) history.back();
	else select(key);
}

/** Whether a key is Escape and closes no dialog or menu. */
export function isToLeave({ key, isComposing }: KeyboardEvent): boolean {
	return key === "Escape" && !isComposing && document.querySelector(":popover-open, dialog[open]") === null;
}

/** What the address names; the same object as long as it is the same. */
export function useSelection(): Selection {
	const [selected, setSelected] = useState(readSelection);
	useEffect(() => {
		const update = (): void => setSelected(readSelection());
		addEventListener("popstate", update);
		return () => removeEventListener("popstate", update);
	}, []);
	return selected;
}

export function readSelection(): Selection {
	const fields = new URLSearchParams(location.hash.slice(1));
	const at = Number(fields.get("at"));
	return { key: fields.get("conversation"), at: Number.isInteger(at) && at > 0 ? at : undefined };
}
