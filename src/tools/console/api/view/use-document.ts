import { useEffect, useState } from "preact/hooks";
import type { ApiDocument } from "../document/api-document.ts";
import { readDocument } from "../document/read-document.ts";

/** The path of the gateway's OpenAPI document. */
const DOCUMENT_PATH = "/openapi.json";

/** The document, or its loading state. */
export type LoadedDocument =
	| { readonly kind: "loading" }
	| { readonly kind: "failed"; readonly reason: string }
	| { readonly kind: "ready"; readonly document: ApiDocument };

/** Fetches the document once. */
export function useDocument(): LoadedDocument {
	const [loaded, setLoaded] = useState<LoadedDocument>({ kind: "loading" });
	useEffect(() => {
		loadDocument().then(
			(document) => setLoaded({ kind: "ready", document }),
			(error: unknown) => {
				setLoaded({
					kind: "failed",
					reason: error instanceof Error ? error.message : "It could not be read.",
				});
			},
		);
	}, []);
	return loaded;
}

async function loadDocument(): Promise<ApiDocument> {
	const response = await fetch(DOCUMENT_PATH);
	if (!response.ok) throw new Error(`The gateway responded with ${response.status}.`);
	const document = readDocument(await response.json());
	if (document.groups.length === 0) throw new Error("It has no operations.");
	return document;
}
