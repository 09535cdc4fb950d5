import { useEffect, useState } from "preact/hooks";
import type { FailureDiagnosis, RequestDetails } from "../../../control/contract.ts";
import { handOver } from "../../hand-over.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { useConsole, useGateway } from "../console-context.ts";
import { CopyMenu, CopySource } from "../controls.tsx";
import { linkTo } from "../hooks/use-selection.ts";
import { Icon } from "../icons.tsx";
import { describeSignature, findRelatedMessageId, isRejected } from "../state/describe-entries.ts";
import { BodyView, HeaderList, Id } from "./body-view.tsx";
import { Commands, hasFix } from "./commands.tsx";

/** A request: what can be done with it, its signature, and its bodies, which are loaded. */
export function RequestView({
	requestId,
	diagnosis,
}: {
	requestId: string;
	diagnosis: FailureDiagnosis | undefined;
}) {
	const { client } = useConsole();
	const [details, setDetails] = useState<RequestDetails>();
	const [problem, setProblem] = useState<string>();
	useEffect(() => {
		client.request(requestId).then(setDetails, (reason: Error) => setProblem(reason.message));
	}, [client, requestId]);
	if (details === undefined) return <p role="status">{problem ?? "Loading…"}</p>;
	const { method, path, query, headers, body, responseBody, durationMs, status } = details;
	const { tone, text } = describeSignature(details);
	return (
		<>
			<MessageLink details={details} />
			<RequestActions details={details} diagnosis={diagnosis} />
			<p>
				<code>
					{method} {path}
					{query}
				</code>{" "}
				<span class="muted">
					{status ?? "No response"}, {formatDuration(durationMs)}
				</span>
			</p>
			<p class={tone}>
				<Icon name={tone === "good" ? "check" : "failed"} /> {text}
			</p>
			{responseBody !== null && <BodyView title="Response body" body={responseBody} />}
			{body !== "" && <BodyView title="Request body" body={body} />}
			<HeaderList title="Request headers" headers={headers} />
			<Id of="request" value={requestId} />
		</>
	);
}

function MessageLink({ details }: { details: RequestDetails }) {
	const { open } = useConsole();
	const message = useGateway().messages.get(findRelatedMessageId(details) ?? "");
	if (message === undefined) return null;
	const { conversationKey, sequence } = message;
	return (
		<p>
			<Icon name="chat" />{" "}
			<a
				href={linkTo(conversationKey, sequence)}
				onClick={(event) => {
					event.preventDefault();
					open(sequence, conversationKey);
				}}
			>
				{isRejected(details) ? "Show the message that blocks it" : "Show the message"}
			</a>
		</p>
	);
}

function RequestActions({
	details,
	diagnosis,
}: {
	details: RequestDetails;
	diagnosis: FailureDiagnosis | undefined;
}) {
	const { client } = useConsole();
	const gateway = useGateway();
	const { requestId, operationId, path, query, body } = details;
	return (
		<div class="actions">
			{operationId !== undefined && (
				<a
					class={hasFix(diagnosis) ? "button" : "button primary"}
					href={`/docs#${operationId}`}
					onClick={({ ctrlKey, metaKey, shiftKey }) => {
						// A page in another tab cannot read what is handed over.
						if (ctrlKey || metaKey || shiftKey) return;
						handOver({ operationId, path, query, body });
					}}
				>
					Edit in /docs
				</a>
			)}
			<CopyMenu>
				<CopySource
					label="Copy as curl"
					write={async () => (await import("./write-code.ts")).writeRequestCurl(details, gateway)}
				/>
				<CopySource
					label="Copy as SDK code"
					write={async () => (await import("./write-code.ts")).writeRequestSdk(details, gateway)}
				/>
				<CopySource label="Copy as test" write={() => client.testOfRequest(requestId)} />
				<Commands diagnosis={diagnosis} />
			</CopyMenu>
		</div>
	);
}
