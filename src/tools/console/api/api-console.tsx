import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ClientCredentials } from "../../control/contract.ts";
import { createPageClient, PageError } from "../control-client.ts";
import { takeHandOver } from "../hand-over.ts";
import { replaceRejected, useToken } from "../token.ts";
import { createCaller, type FinishedCall } from "./call/make-call.ts";
import type { Connection } from "./call/prepare.ts";
import type { ApiDocument } from "./document/api-document.ts";
import { findApiOperation, readDocument } from "./document/read-document.ts";
import { type Draft, draftOfRequest } from "./form/draft.ts";
import type { RequestContent } from "./form/read-request.ts";
import { OperationList } from "./operation-list.tsx";
import { OperationPage } from "./operation-page.tsx";

interface Loaded {
	readonly document: ApiDocument;
	/** `undefined` without a valid token. */
	readonly credentials: ClientCredentials | undefined;
}

/** The page /docs: every operation of the gateway's OpenAPI document, with a form to call it. */
export function ApiConsole() {
	const [token] = useToken();
	const [loaded, setLoaded] = useState<Loaded | { readonly reason: string }>();
	useEffect(() => {
		Promise.all([loadDocument(), loadCredentials(token)]).then(
			([document, credentials]) => setLoaded({ document, credentials }),
			(error: unknown) =>
				setLoaded({ reason: error instanceof Error ? error.message : "It couldn't be read." }),
		);
	}, [token]);
	if (loaded === undefined) return <p role="status">Loading the document…</p>;
	if ("reason" in loaded) {
		return (
			<div class="panel" role="alert">
				<h1>The OpenAPI document couldn't be read</h1>
				<p>{loaded.reason}</p>
				<p>
					It should be at <a href="/openapi.json">/openapi.json</a> of this gateway.
				</p>
			</div>
		);
	}
	// The key fills the form again when credentials arrive later.
	return <LoadedConsole key={loaded.credentials?.appSecret} {...loaded} />;
}

async function loadDocument(): Promise<ApiDocument> {
	const response = await fetch("/openapi.json");
	if (!response.ok) throw new Error(`The gateway responded with ${response.status}.`);
	const document = readDocument(await response.json());
	if (document.groups.length === 0) throw new Error("It has no operations.");
	return document;
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

/** Keeps the drafts and responses of all operations until the page is closed. */
function LoadedConsole({ document: apiDocument, credentials }: Loaded) {
	const hash = useHash();
	const firstHash = useRef(hash);
	const [connection, setConnection] = useState(() => createConnection(apiDocument, credentials));
	const [drafts, setDrafts] = useState(() => takeDrafts(apiDocument, connection.baseUrl));
	const [calls, setCalls] = useState<Readonly<Record<string, FinishedCall>>>({});
	const [sending, setSending] = useState<{ readonly id: string; readonly controller: AbortController }>();
	const makeCall = useMemo(() => createCaller((url, init) => fetch(url, init)), []);
	const operation = findApiOperation(apiDocument, hash) ?? apiDocument.groups[0]?.operations[0];
	const id = operation?.id;
	useEffect(() => {
		if (id !== undefined) document.title = `${id} · API · messaging-gateway`;
	}, [id]);
	if (operation === undefined || id === undefined) return null;
	const send = async (content: RequestContent): Promise<void> => {
		// One at a time, because concurrent requests cannot be told apart.
		if (sending !== undefined) return;
		const controller = new AbortController();
		setSending({ id, controller });
		const call = await makeCall(operation, content, connection, controller.signal);
		setSending(undefined);
		setCalls((earlier) => ({ ...earlier, [id]: call }));
	};
	return (
		<div class="api">
			<OperationList document={apiDocument} selectedId={id} />
			<OperationPage
				key={id}
				operation={operation}
				connection={connection}
				onConnection={setConnection}
				draft={drafts[id]}
				onDraft={(draft) => setDrafts((earlier) => ({ ...earlier, [id]: draft }))}
				call={calls[id]}
				isSending={sending?.id === id}
				onSend={(content) => void send(content)}
				onCancel={() => sending?.controller.abort()}
				takesFocus={hash !== firstHash.current}
			/>
		</div>
	);
}

/** The fragment of the address, kept up to date. */
function useHash(): string {
	const [hash, setHash] = useState(location.hash.slice(1));
	useEffect(() => {
		const update = (): void => setHash(location.hash.slice(1));
		addEventListener("hashchange", update);
		return () => removeEventListener("hashchange", update);
	}, []);
	return hash;
}

/** The form of a request that another page handed over, if any. */
function takeDrafts(apiDocument: ApiDocument, baseUrl: string): Readonly<Record<string, Draft>> {
	const request = takeHandOver();
	if (request === undefined) return {};
	const operation = findApiOperation(apiDocument, request.operationId);
	if (operation === undefined) return {};
	const path = request.path.slice(new URL(baseUrl).pathname.replace(/\/$/, "").length);
	return { [operation.id]: draftOfRequest(operation, { ...request, path }) };
}

/** Uses the document's URL if it has this page's origin; it may have a path. Without credentials: the default app. */
function createConnection(
	{ serverUrl = "/" }: ApiDocument,
	{ appId, appSecret }: ClientCredentials = { appId: "local-app", appSecret: "" },
): Connection {
	const { href, origin } = new URL(serverUrl, location.href);
	return {
		baseUrl: origin === location.origin ? href.replace(/\/+$/, "") : location.origin,
		appId,
		appSecret,
	};
}
