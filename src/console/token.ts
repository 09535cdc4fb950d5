/** Only for this tab, and gone with it. */
const STORAGE_KEY = "messaging-gateway-token";

/** A URL's fragment without its token: the token stays neither in the address nor in the history. */
export function splitFragment(fragment: string): { readonly token: string | null; readonly rest: string } {
	const fields = fragment.replace(/^#/, "").split("&");
	const token = new URLSearchParams(fields.find(isToken)).get("token");
	const rest = fields.filter((field) => !isToken(field)).join("&");
	return { token: token === "" ? null : token, rest: rest === "" ? "" : `#${rest}` };
}

function isToken(field: string): boolean {
	return field.startsWith("token=");
}

/** The token that the command printed: from the link's fragment, or else as this tab kept it. */
export function takeToken(): string | null {
	const { token, rest } = splitFragment(location.hash);
	if (token === null) return sessionStorage.getItem(STORAGE_KEY);
	history.replaceState(null, "", `${location.pathname}${location.search}${rest}`);
	keepToken(token);
	return token;
}

/** Keeps a token for the other pages, and for a reload. */
export function keepToken(token: string): void {
	sessionStorage.setItem(STORAGE_KEY, token);
}

/** Drops a token that the gateway refused. */
export function forgetToken(): void {
	sessionStorage.removeItem(STORAGE_KEY);
}

/** The token in whatever was pasted: the token itself, or the link that holds it. */
export function readPastedToken(pasted: string): string {
	const text = pasted.trim();
	const at = text.indexOf("#");
	return (at === -1 ? null : splitFragment(text.slice(at)).token) ?? text;
}
