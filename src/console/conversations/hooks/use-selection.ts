import { useEffect, useState } from "preact/hooks";

const FIELD = "conversation";

/** The fragment that shows a conversation. It makes the browser's own "back" lead to the list. */
export function linkTo(conversationKey: string): string {
	return `#${new URLSearchParams([[FIELD, conversationKey]])}`;
}

/** Shows a conversation, or the list of them. Not by following the link, which would take the focus away. */
export function select(conversationKey: string | null): void {
	const fragment = conversationKey === null ? "" : linkTo(conversationKey);
	if (fragment === location.hash) return;
	history.pushState(null, "", `${location.pathname}${location.search}${fragment}`);
	// The browser tells only of steps that were not made by a script.
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
