import { useEffect, useState } from "preact/hooks";
import type { ClientCredentials } from "../../../control/contract.ts";
import { createPageClient, PageError } from "../../control-client.ts";
import { replaceRejected } from "../../token.ts";
import { useToken } from "../../use-token.ts";

/** The gateway's credentials, or their loading state. */
export type LoadedCredentials =
	| { readonly kind: "loading" }
	/** `undefined` without a valid token. */
	| { readonly kind: "settled"; readonly credentials: ClientCredentials | undefined };

/** Loads the gateway's credentials with the token of the page's link. */
export function useCredentials(): LoadedCredentials {
	const [token] = useToken();
	const [loaded, setLoaded] = useState<LoadedCredentials>({ kind: "loading" });
	useEffect(() => {
		void loadCredentials(token).then((credentials) => setLoaded({ kind: "settled", credentials }));
	}, [token]);
	return loaded;
}

/** Never rejects: without credentials the user enters them. */
async function loadCredentials(token: string | null): Promise<ClientCredentials | undefined> {
	if (token === null) return undefined;
	try {
		return await createPageClient(token).get("getCredentials");
	} catch (error) {
		if (error instanceof PageError && error.reason === "unauthorized") replaceRejected(token);
		return undefined;
	}
}
