import { useEffect, useState } from "preact/hooks";
import type { RequestDetails } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";

/** Details that are loading, the details, or why loading failed. */
type LoadedDetails =
	| { readonly state: "loading" }
	| { readonly state: "ready"; readonly details: RequestDetails }
	| { readonly state: "failed"; readonly reason: string };

/** Loads a request with its headers and bodies; they are kept as long as the component. */
export function useRequestDetails(requestId: string): LoadedDetails {
	const { client } = useConsole();
	const [loaded, setLoaded] = useState<LoadedDetails>({ state: "loading" });
	useEffect(() => {
		client.request(requestId).then(
			(details) => setLoaded({ state: "ready", details }),
			(error: Error) => setLoaded({ state: "failed", reason: error.message }),
		);
	}, [client, requestId]);
	return loaded;
}
