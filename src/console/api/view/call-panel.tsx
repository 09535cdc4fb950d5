import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { describeFailure } from "../call/describe-failure.ts";
import type { FinishedCall } from "../call/make-call.ts";
import { findRequestId, formatBody, formatDuration } from "../call/read-response.ts";
import type { ReceivedResponse } from "../call/recorder.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { FailurePanel } from "./failure-panel.tsx";

interface CallPanelProps {
	readonly operation: ApiOperation;
	readonly call: FinishedCall | undefined;
	readonly isSending: boolean;
}

/** The result of the last call: the response, and the error as an application would see it. */
export function CallPanel({ operation, call, isSending }: CallPanelProps) {
	return (
		<section class="panel call" aria-labelledby="response-title" aria-busy={isSending}>
			<h2 id="response-title">Response</h2>
			{call === undefined ? (
				<p class="muted">{isSending ? "Sending…" : "Nothing was sent yet."}</p>
			) : (
				<CallView operation={operation} call={call} />
			)}
		</section>
	);
}

function CallView({ operation, call }: { operation: ApiOperation; call: FinishedCall }) {
	const { failure, exchanges } = call;
	const response = exchanges.at(-1)?.response;
	return (
		<>
			<StatusLine call={call} response={response} />
			{failure !== undefined && <FailurePanel failure={describeFailure(failure.error, operation)} />}
			{response !== undefined && <ResponseView response={response} />}
		</>
	);
}

function StatusLine({ call, response }: { call: FinishedCall; response: ReceivedResponse | undefined }) {
	const isGood = call.failure === undefined;
	const requestId = response === undefined ? undefined : findRequestId(response);
	return (
		<div class="status-line">
			<span class={isGood ? "badge badge-good status" : "badge badge-bad status"}>
				{response === undefined ? "No response" : `${response.status} ${response.statusText}`.trim()}
			</span>
			<span>{formatDuration(call.durationMs)}</span>
			<time class="muted" dateTime={new Date(call.endedAt).toISOString()}>
				{new Date(call.endedAt).toLocaleTimeString()}
			</time>
			{requestId !== undefined && (
				<span class="request-id">
					<span class="muted">request</span> <code>{requestId}</code>
					<CopyButton of="request id" text={requestId} />
				</span>
			)}
		</div>
	);
}

function ResponseView({ response: { text, headers } }: { response: ReceivedResponse }) {
	const { body, language } = formatBody(text);
	return (
		<>
			{text === "" ? (
				<p class="muted">The response has no body.</p>
			) : (
				<CodeBlock title="Body" text={body} language={language} />
			)}
			<details class="fold">
				<summary>{headers.length} response headers</summary>
				<CodeBlock title="Headers" text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} />
			</details>
		</>
	);
}
