import { useEffect, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";

/** Bytes that are on their way to the page, an address of its own for them, or why there is none. */
export type KeptBytes =
	| { readonly state: "loading" }
	| { readonly state: "ready"; readonly url: string }
	| { readonly state: "failed"; readonly reason: string };

const LOADING: KeptBytes = { state: "loading" };

/**
 * The bytes of an attachment that the gateway keeps. An element cannot send the token, so they are fetched
 * and given an address that ends with the element. `id` is `null` as long as they are not wanted.
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
