import { useEffect, useState } from "preact/hooks";
import { takeToken } from "./token.ts";

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
