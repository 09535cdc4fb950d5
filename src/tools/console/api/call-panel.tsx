import { parseJson } from "../../control/parse-json.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatDuration, formatTime } from "../parts/format-time.ts";
import { indentJson } from "../parts/json-value.ts";
import { Pairs } from "../parts/pairs.tsx";
import { Prose } from "../parts/prose.tsx";
import { describeFailure, type FailureView, findRequestId } from "./call/describe-call.ts";
import type { FinishedCall, ReceivedResponse } from "./call/make-call.ts";
import type { ApiOperation, ResponseDescription } from "./document/api-document.ts";

const RESPONSE_TITLE = "response-title";

interface CallPanelProps {
	readonly operation: ApiOperation;
	readonly call: FinishedCall | undefined;
	readonly isSending: boolean;
}

/** The result of the last call: the response, and the error as an application would see it. */
export function CallPanel({ operation, call, isSending }: CallPanelProps) {
	const response = call?.exchanges.at(-1)?.response;
	const requestId = response && findRequestId(response);
	const failure = call?.failure && describeFailure(call.failure.error, operation);
	// The failure already shows the gateway's reason, so the body is collapsed.
	const isExplained = failure?.properties.some(({ name }) => name === "gatewayCode") === true;
	return (
		<section class="panel call" aria-labelledby={RESPONSE_TITLE} aria-busy={isSending}>
			<h2 id={RESPONSE_TITLE} tabIndex={-1}>
				Response
			</h2>
			{call === undefined && <p class="muted">{isSending ? "Sending…" : "Nothing sent yet."}</p>}
			{call !== undefined && (
				<div class="line">
					<StatusBadge call={call} />
					<span>{formatDuration(call.durationMs)}</span>
					<time class="muted" dateTime={new Date(call.endedAt).toISOString()}>
						{formatTime(call.endedAt)}
					</time>
					{requestId !== undefined && (
						<span>
							<span class="muted">request</span> <code>{requestId}</code>{" "}
							<CopyButton of="request id" text={requestId} />
						</span>
					)}
				</div>
			)}
			{failure !== undefined && <FailureBox failure={failure} />}
			{response !== undefined && <ResponseView response={response} isFolded={isExplained} />}
		</section>
	);
}

/** Brings the result of the last call into view, for the keyboard as well. */
export function showResponse(): void {
	const title = document.getElementById(RESPONSE_TITLE);
	title?.focus({ preventScroll: true });
	title?.scrollIntoView({ block: "start" });
}

/** The status of a call in two or three words. */
export function StatusBadge({ call: { failure, exchanges } }: { call: FinishedCall }) {
	const response = exchanges.at(-1)?.response;
	return (
		<span class={failure === undefined ? "badge badge-good" : "badge badge-bad"}>
			{response === undefined ? "No response" : `${response.status} ${response.statusText}`.trim()}
		</span>
	);
}

/** A failed call: the error class that an application would catch, its properties, and what to do. */
function FailureBox({ failure }: { failure: FailureView }) {
	const { className, message, properties, advice } = failure;
	return (
		<div class="panel failure">
			<h3 class="bad">
				<code>{className}</code>
			</h3>
			<p dir="auto">
				<Prose text={message} />
			</p>
			<Pairs pairs={properties} />
			<p>
				<strong>What to do</strong>
				<br />
				{advice}
			</p>
		</div>
	);
}

function ResponseView({ response, isFolded }: { response: ReceivedResponse; isFolded: boolean }) {
	const { text, headers } = response;
	return (
		<>
			{text === "" ? (
				<p class="muted">The response has no body.</p>
			) : (
				<details class="fold" open={!isFolded}>
					<summary>Response body</summary>
					<CodeBlock
						title="Body"
						text={indentJson(text)}
						language={parseJson(text) === undefined ? "text" : "json"}
					/>
				</details>
			)}
			<details class="fold">
				<summary>
					{headers.length} response {headers.length === 1 ? "header" : "headers"}
				</summary>
				<CodeBlock title="Headers" text={headers.map((header) => header.join(": ")).join("\n")} />
			</details>
		</>
	);
}

/** The documented statuses and error codes of an operation. */
export function ResponsesPanel({ responses }: { responses: readonly ResponseDescription[] }) {
	return (
		<details class="panel fold">
			<summary>
				<h2>Possible responses</h2>
			</summary>
			<dl class="pairs pairs-narrow">
				{responses.map(({ status, description, errors }) => (
					<div key={status}>
						<dt class={status.startsWith("2") ? "good" : "bad"}>{status}</dt>
						<dd>
							<Prose text={description} />
							{errors.map(({ code, meaning }) => (
								<p key={code}>
									<code>{code}</code> <Prose text={meaning} />
								</p>
							))}
						</dd>
					</div>
				))}
			</dl>
		</details>
	);
}
