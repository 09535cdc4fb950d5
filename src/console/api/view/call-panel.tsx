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

/** What came of the last call: the answer, or the error as an application would meet it. */
export function CallPanel({ operation, call, isSending }: CallPanelProps) {
	return (
		<section class="panel call" aria-labelledby="answer-title" aria-busy={isSending}>
			<h2 id="answer-title">Answer</h2>
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
	const answer = exchanges.at(-1)?.answer;
	return (
		<>
			<StatusLine call={call} answer={answer} />
			{failure !== undefined && <FailurePanel failure={describeFailure(failure.error, operation)} />}
			{answer !== undefined && <ResponseView answer={answer} />}
		</>
	);
}

function StatusLine({ call, answer }: { call: FinishedCall; answer: ReceivedResponse | undefined }) {
	const isGood = call.failure === undefined;
	const requestId = answer === undefined ? undefined : findRequestId(answer);
	return (
		<div class="status-line">
			<span class={isGood ? "badge badge-good status" : "badge badge-bad status"}>
				{answer === undefined ? "No answer" : `${answer.status} ${answer.statusText}`.trim()}
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

function ResponseView({ answer: { text, headers } }: { answer: ReceivedResponse }) {
	const { body, language } = formatBody(text);
	return (
		<>
			{text === "" ? (
				<p class="muted">The answer has no body.</p>
			) : (
				<CodeBlock title="Body" text={body} language={language} />
			)}
			<details class="fold">
				<summary>{headers.length} answer headers</summary>
				<CodeBlock title="Headers" text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} />
			</details>
		</>
	);
}
