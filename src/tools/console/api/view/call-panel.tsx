import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { formatTime } from "../../parts/format-time.ts";
import { describeFailure } from "../call/describe-failure.ts";
import type { FinishedCall } from "../call/make-call.ts";
import { findRequestId, formatBody, formatDuration } from "../call/read-response.ts";
import type { ReceivedResponse } from "../call/recorder.ts";
import type { ApiOperation } from "../document/api-document.ts";
import { FailurePanel } from "./failure-panel.tsx";

const RESPONSE_TITLE = "response-title";

interface CallPanelProps {
	readonly operation: ApiOperation;
	readonly call: FinishedCall | undefined;
	readonly isSending: boolean;
}

/** The result of the last call: the response, and the error as an application would see it. */
export function CallPanel({ operation, call, isSending }: CallPanelProps) {
	return (
		<section class="panel call" aria-labelledby={RESPONSE_TITLE} aria-busy={isSending}>
			<h2 id={RESPONSE_TITLE} tabIndex={-1}>
				Response
			</h2>
			{call === undefined ? (
				<p class="muted">{isSending ? "Sending…" : "Nothing sent yet."}</p>
			) : (
				<CallView operation={operation} call={call} />
			)}
		</section>
	);
}

/** Brings the result of the last call into view, for the keyboard as well. */
export function showResponse(): void {
	const title = document.getElementById(RESPONSE_TITLE);
	title?.focus({ preventScroll: true });
	title?.scrollIntoView({ block: "start" });
}

function CallView({ operation, call }: { operation: ApiOperation; call: FinishedCall }) {
	const { failure, exchanges } = call;
	const response = exchanges.at(-1)?.response;
	const view = failure && describeFailure(failure.error, operation);
	// The failure above already shows the gateway's reason, so the body is collapsed.
	const isExplained = view?.gatewayCode !== undefined;
	return (
		<>
			<StatusLine call={call} response={response} />
			{view !== undefined && <FailurePanel failure={view} />}
			{response !== undefined && <ResponseView response={response} isFolded={isExplained} />}
		</>
	);
}

function StatusLine({ call, response }: { call: FinishedCall; response: ReceivedResponse | undefined }) {
	const isGood = call.failure === undefined;
	const requestId = response === undefined ? undefined : findRequestId(response);
	return (
		<div class="status-line">
			<span class={isGood ? "badge badge-good status" : "badge badge-bad status"}>
				{describeStatus(response)}
			</span>
			<span>{formatDuration(call.durationMs)}</span>
			<time class="muted" dateTime={new Date(call.endedAt).toISOString()}>
				{formatTime(call.endedAt)}
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

/** The status of a call in two or three words. */
export function describeStatus(response: ReceivedResponse | undefined): string {
	return response === undefined ? "No response" : `${response.status} ${response.statusText}`.trim();
}

function ResponseView(props: { response: ReceivedResponse; isFolded: boolean }) {
	const { text, headers } = props.response;
	const { body, language } = formatBody(text);
	const block = <CodeBlock title="Body" text={body} language={language} />;
	return (
		<>
			{text === "" && <p class="muted">The response has no body.</p>}
			{text !== "" && !props.isFolded && block}
			{text !== "" && props.isFolded && (
				<details class="fold">
					<summary>Response body</summary>
					{block}
				</details>
			)}
			<details class="fold">
				<summary>
					{headers.length} response {headers.length === 1 ? "header" : "headers"}
				</summary>
				<CodeBlock title="Headers" text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} />
			</details>
		</>
	);
}
