import { useEffect, useState } from "preact/hooks";

/** In local storage: every tab has the token, also after a restart. */
const STORAGE_KEY = "messaging-gateway-token";

/** Splits the token off a URL's fragment, to remove it from the address and the history. */
export function splitFragment(fragment: string): { readonly token: string | null; readonly rest: string } {
	const fields = fragment.replace(/^#/, "").split("&");
	const token = new URLSearchParams(fields.find(isToken)).get("token");
	const rest = fields.filter((field) => !isToken(field)).join("&");
	return { token: token === "" ? null : token, rest: rest === "" ? "" : `#${rest}` };
}

function isToken(field: string): boolean {
	return field.startsWith("token=");
}

/** The token from the link's fragment, or else from the storage. Removes it from the address. */
export function takeToken(): string | null {
	const { token, rest } = splitFragment(location.hash);
	if (token === null) return localStorage.getItem(STORAGE_KEY);
	history.replaceState(null, "", `${location.pathname}${location.search}${rest}`);
	keepToken(token);
	return token;
}

/** Stores a token for the other pages, for reloads and for new tabs. */
export function keepToken(token: string): void {
	localStorage.setItem(STORAGE_KEY, token);
}

/**
 * Removes a token that the gateway rejected.
 * @returns the token that another tab has stored since.
 */
export function replaceRejected(token: string): string | null {
	if (localStorage.getItem(STORAGE_KEY) === token) localStorage.removeItem(STORAGE_KEY);
	return localStorage.getItem(STORAGE_KEY);
}

export function readPastedToken(pasted: string): string {
	const trimmed = pasted.trim();
	const at = trimmed.indexOf("#");
	return (at === -1 ? null : splitFragment(trimmed.slice(at)).token) ?? trimmed;
}

/** The token of the page's link or of the storage; `null` without one. Another tab's token is accepted at once. */
export function useToken() {
	const [token, setToken] = useState(takeToken);
	useEffect(() => {
		const update = (): void => setToken(takeToken());
		// A link opened in the same tab only changes the fragment; the page does not reload.
		addEventListener("hashchange", update);
		addEventListener("storage", update);
		return () => {
			removeEventListener("hashchange", update);
			removeEventListener("storage", update);
		};
	}, []);
	return [token, setToken] as const;
}
