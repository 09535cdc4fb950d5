import { useEffect, useState } from "preact/hooks";
import type { ApiDocument } from "../document/api-document.ts";
import { readDocument } from "../document/read-document.ts";

/** Where the gateway serves its OpenAPI document. */
const DOCUMENT_PATH = "/openapi.json";

/** The document, as far as it is there. */
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
				setLoaded({ kind: "failed", reason: error instanceof Error ? error.message : "It was not read." });
			},
		);
	}, []);
	return loaded;
}

async function loadDocument(): Promise<ApiDocument> {
	const response = await fetch(DOCUMENT_PATH);
	if (!response.ok) throw new Error(`The gateway answered ${response.status}.`);
	const document = readDocument(await response.json());
	if (document.groups.length === 0) throw new Error("There is no operation in it.");
	return document;
}
