import type { FinishedCall } from "../call/make-call.ts";
import { formatDuration } from "../call/read-response.ts";
import { describeStatus, showResponse } from "./call-panel.tsx";

interface SendBarProps {
	/** Why the request cannot be sent; `undefined` if it can. */
	readonly obstacle: string | undefined;
	/** Whether the user tried to send. */
	readonly hasTried: boolean;
	/** The number of fields that the gateway will probably reject. */
	readonly violations: number;
	readonly isSending: boolean;
	/** The last call; its response may be out of sight. */
	readonly call: FinishedCall | undefined;
	readonly onSend: () => void;
	readonly onCancel: () => void;
	/** Fills in the example; `undefined` if the form has no fields. */
	readonly onReset: (() => void) | undefined;
	readonly onClear: (() => void) | undefined;
}

/** The Send button, or the reason why the form cannot be sent. */
export function SendBar({
	obstacle,
	hasTried,
	violations,
	isSending,
	call,
	onSend,
	onCancel,
	onReset,
	onClear,
}: SendBarProps) {
	return (
		<div class="send-bar">
			<button
				type="button"
				class="primary"
				onClick={isSending ? onCancel : onSend}
				aria-describedby="send-note"
				aria-keyshortcuts="Control+Enter"
			>
				{isSending ? "Cancel" : "Send"}
			</button>
			<span class="keys" aria-hidden="true">
				Ctrl ↵
			</span>
			<p id="send-note" class={obstacle !== undefined && hasTried ? "problem" : "hint"} role="status">
				{obstacle ?? describeViolations(violations)}
			</p>
			<p class="send-result" role="status">
				{isSending ? "Sending…" : call !== undefined && <Result call={call} />}
			</p>
			<span class="send-extras">
				{onReset !== undefined && (
					<button type="button" class="link" onClick={onReset}>
						Example
					</button>
				)}
				{onClear !== undefined && (
					<button type="button" class="link" onClick={onClear}>
						Clear
					</button>
				)}
			</span>
		</div>
	);
}

function Result({ call: { failure, exchanges, durationMs } }: { call: FinishedCall }) {
	return (
		<>
			<span class={failure === undefined ? "badge badge-good" : "badge badge-bad"}>
				{describeStatus(exchanges.at(-1)?.response)}
			</span>{" "}
			in {formatDuration(durationMs)}{" "}
			<button type="button" class="link" onClick={showResponse}>
				Show the response
			</button>
		</>
	);
}

function describeViolations(violations: number): string {
	if (violations === 0) return "";
	return violations === 1
		? "One field does not match the document. You can send it and see how the gateway responds."
		: `${violations} fields do not match the document. You can send it and see how the gateway responds.`;
}
