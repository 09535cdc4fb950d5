import { useEffect, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";

/** Bytes that are loading, their object URL, or why loading failed. */
export type KeptBytes =
	| { readonly state: "loading" }
	| { readonly state: "ready"; readonly url: string }
	| { readonly state: "failed"; readonly reason: string };

const LOADING: KeptBytes = { state: "loading" };

/**
 * Loads an attachment from the gateway as an object URL, because elements cannot send the token. The URL is revoked
 * with the component. Nothing is loaded while `id` is `null`.
 */
export function useKeptBytes(id: string | null): KeptBytes {
	const { client } = useConsole();
	const [bytes, setBytes] = useState(LOADING);
	useEffect(() => {
		if (id === null) return undefined;
		let isGone = false;
		let url: string | undefined;
		client.attachment(id).then(
			(blob) => {
				if (isGone) return;
				url = URL.createObjectURL(blob);
				setBytes({ state: "ready", url });
			},
			(error: Error) => setBytes({ state: "failed", reason: error.message }),
		);
		return () => {
			isGone = true;
			if (url !== undefined) URL.revokeObjectURL(url);
		};
	}, [client, id]);
	return bytes;
}
