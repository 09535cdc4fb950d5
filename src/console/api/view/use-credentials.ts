import { useEffect, useState } from "preact/hooks";
import type { ClientCredentials } from "../../../local-gateway/control/contract.ts";
import { ControlClient, ControlError } from "../../control-client.ts";
import { forgetToken, takeToken } from "../../token.ts";

/** What the gateway signs with, as far as the page was told. */
export type LoadedCredentials =
	| { readonly kind: "loading" }
	/** `undefined` where the page has no token. */
	| { readonly kind: "settled"; readonly credentials: ClientCredentials | undefined };

/** Asks the gateway for its credentials with the token of the link that the page was opened by. */
export function useCredentials(): LoadedCredentials {
	const [token, setToken] = useState(takeToken);
	const [loaded, setLoaded] = useState<LoadedCredentials>({ kind: "loading" });
	useEffect(() => {
		// A link that is opened in the same tab changes the fragment alone, and loads nothing.
		const update = (): void => setToken(takeToken());
		addEventListener("hashchange", update);
		return () => removeEventListener("hashchange", update);
	}, []);
	useEffect(() => {
		void loadCredentials(token).then((credentials) => setLoaded({ kind: "settled", credentials }));
	}, [token]);
	return loaded;
}

/** Never rejects: without credentials one fills them in by hand. */
async function loadCredentials(token: string | null): Promise<ClientCredentials | undefined> {
	if (token === null) return undefined;
	try {
		return await new ControlClient(token).credentials();
	} catch (error) {
		if (error instanceof ControlError && error.status === 401) forgetToken();
		return undefined;
	}
}
