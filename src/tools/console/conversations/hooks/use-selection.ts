import { useEffect, useState } from "preact/hooks";

/** What the address names. */
export interface Selection {
	/** The conversation in view; `null` for the list. */
	readonly key: string | null;
	/** The `sequence` of the message to show in it. */
	readonly at: number | undefined;
}

/** The fragment that selects a conversation, or a message in it. The browser's back button then leads to the list. */
export function linkTo(conversation: string, at?: number): string {
	return `#${new URLSearchParams({ conversation, ...(at === undefined ? {} : { at: String(at) }) })}`;
}

/** Selects a conversation, or the list. It does not follow the link, which would move the focus. */
export function select(conversationKey: string | null, at?: number): void {
	const fragment = conversationKey === null ? "" : linkTo(conversationKey, at);
	if (fragment === location.hash) return;
	history.pushState(null, "", `${location.pathname}${location.search}${fragment}`);
	// `pushState` fires no event.
	dispatchEvent(new PopStateEvent("popstate"));
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

function readSelection(): Selection {
	const fields = new URLSearchParams(location.hash.slice(1));
	const at = Number(fields.get("at"));
	return { key: fields.get("conversation"), at: Number.isInteger(at) && at > 0 ? at : undefined };
}
