import { useEffect, useState } from "preact/hooks";

const FIELD = "conversation";

/** The fragment that selects a conversation. The browser's back button then leads to the list. */
export function linkTo(conversationKey: string): string {
	return `#${new URLSearchParams([[FIELD, conversationKey]])}`;
}

/** Selects a conversation, or the list. It does not follow the link, which would move the focus. */
export function select(conversationKey: string | null): void {
	const fragment = conversationKey === null ? "" : linkTo(conversationKey);
	if (fragment === location.hash) return;
	history.pushState(null, "", `${location.pathname}${location.search}${fragment}`);
	// `pushState` fires no event.
	dispatchEvent(new PopStateEvent("popstate"));
}

/** The conversation that the address names, or `null`. */
export function useSelection(): string | null {
	const [selected, setSelected] = useState(readSelection);
	useEffect(() => {
		const update = (): void => setSelected(readSelection());
		addEventListener("popstate", update);
		return () => removeEventListener("popstate", update);
	}, []);
	return selected;
}

function readSelection(): string | null {
	return new URLSearchParams(location.hash.slice(1)).get(FIELD);
}
