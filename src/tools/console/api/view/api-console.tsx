import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ClientCredentials } from "../../../control/contract.ts";
import { takeHandOver } from "../../hand-over.ts";
import { type Connection, createCaller } from "../call/make-call.ts";
import type { ApiDocument } from "../document/api-document.ts";
import { findOperation } from "../document/read-document.ts";
import type { Draft } from "../form/draft.ts";
import { draftOfRequest } from "../form/draft-of-request.ts";
import { OperationList } from "./operation-list.tsx";
import { OperationPage } from "./operation-page.tsx";
import { useCalls } from "./use-calls.ts";
import { useCredentials } from "./use-credentials.ts";
import { useDocument } from "./use-document.ts";
import { useHash } from "./use-hash.ts";

/** The default app id of a local gateway. */
const LOCAL_APP_ID = "local-app";

/** The page /docs: every operation of the gateway's OpenAPI document, with a form to call it. */
export function ApiConsole() {
	const loaded = useDocument();
	const access = useCredentials();
	if (loaded.kind === "loading" || access.kind === "loading") {
		return (
			<p class="notice-page muted" role="status">
				Loading the document…
			</p>
		);
	}
	if (loaded.kind === "failed") {
		return (
			<div class="notice-page" role="alert">
				<h1>The OpenAPI document could not be read</h1>
				<p>{loaded.reason}</p>
				<p>
					It should be at <a href="/openapi.json">/openapi.json</a> of this gateway.
				</p>
			</div>
		);
	}
	const { credentials } = access;
	// The key fills the form again when credentials arrive later.
	return <LoadedConsole key={credentials?.appSecret} document={loaded.document} credentials={credentials} />;
}

/** Keeps the drafts and responses of all operations until the page is closed. */
function LoadedConsole(props: { document: ApiDocument; credentials: ClientCredentials | undefined }) {
	const { document: apiDocument, credentials } = props;
	const hash = useHash();
	const firstHash = useRef(hash);
	const [connection, setConnection] = useState(() => createConnection(apiDocument, credentials));
	const [drafts, setDrafts] = useState(() => takeDrafts(apiDocument, connection.baseUrl));
	const makeCall = useMemo(() => createCaller((url, init) => fetch(url, init)), []);
	const calls = useCalls(makeCall);
	const operation = findOperation(apiDocument, hash) ?? apiDocument.groups[0]?.operations[0];
	const id = operation?.id;
	useEffect(() => {
		if (id !== undefined) document.title = `${id} · API · messaging-gateway`;
	}, [id]);
	if (operation === undefined) return null;
	return (
		<div class="api">
			<OperationList document={apiDocument} selectedId={operation.id} />
			<OperationPage
				key={operation.id}
				operation={operation}
				connection={connection}
				onConnection={setConnection}
				draft={drafts[operation.id]}
				onDraft={(draft) => setDrafts((earlier) => ({ ...earlier, [operation.id]: draft }))}
				call={calls.finished[operation.id]}
				isSending={calls.sendingId === operation.id}
				onSend={(content) => calls.start(operation, content, connection)}
				onCancel={calls.cancel}
				takesFocus={hash !== firstHash.current}
			/>
		</div>
	);
}

/** The form of a request that another page handed over, if any. */
function takeDrafts(apiDocument: ApiDocument, baseUrl: string): Readonly<Record<string, Draft>> {
	const request = takeHandOver("/docs");
	if (request === undefined) return {};
	const operation = findOperation(apiDocument, request.operationId);
	if (operation === undefined) return {};
	const path = request.path.slice(new URL(baseUrl).pathname.replace(/\/$/, "").length);
	return { [operation.id]: draftOfRequest(operation, { ...request, path }) };
}

/** Uses the document's URL if it has this page's origin; it may have a path. */
function createConnection(
	{ serverUrl = "" }: ApiDocument,
	{ appId, appSecret }: ClientCredentials = { appId: LOCAL_APP_ID, appSecret: "" },
): Connection {
	const url = URL.canParse(serverUrl, location.href) ? new URL(serverUrl, location.href) : undefined;
	const isHere = url !== undefined && url.origin === location.origin;
	return {
		baseUrl: isHere ? url.href.replace(/\/+$/, "") : location.origin,
		appId,
		appSecret,
	};
}
