import { formatDuration } from "./call/describe-call.ts";
import type { FinishedCall } from "./call/make-call.ts";
import { StatusBadge, showResponse } from "./call-panel.tsx";
import type { Form } from "./field-input.tsx";
import { createDraft, EMPTY_DRAFT } from "./form/draft.ts";

interface SendBarProps {
	readonly form: Form;
	/** Why the request cannot be sent; `undefined` if it can. */
	readonly obstacle: string | undefined;
	readonly isSending: boolean;
	/** The last call; its response may be out of sight. */
	readonly call: FinishedCall | undefined;
	/** Sends, or cancels what is being sent. */
	readonly onClick: () => void;
}

/** The Send button, the status of the last call, and the reason why the form cannot be sent. */
export function SendBar({ form, obstacle, isSending, call, onClick }: SendBarProps) {
	const { operation, model, reading, showsGaps, onChange } = form;
	return (
		<div class="send-bar line">
			<button
				type="button"
				class="primary"
				onClick={onClick}
				aria-describedby="send-note"
				aria-keyshortcuts="Control+Enter"
			>
				{isSending ? "Cancel" : "Send"}
			</button>
			<span class="keys" aria-hidden="true">
				Ctrl ↵
			</span>
			<p id="send-note" class={obstacle !== undefined && showsGaps ? "problem" : "hint"} role="status">
				{obstacle ?? describeViolations(Object.keys(reading.problems).length)}
			</p>
			<p class="hint" role="status">
				{isSending && "Sending…"}
				{!isSending && call !== undefined && (
					<>
						<StatusBadge call={call} /> in {formatDuration(call.durationMs)}{" "}
						<button type="button" class="link" onClick={showResponse}>
							Show the response
						</button>
					</>
				)}
			</p>
			{model.fields.length > 0 && (
				<span class="to-the-end">
					<button type="button" class="link" onClick={() => onChange(createDraft(operation, model))}>
						Example
					</button>
					<button type="button" class="link" onClick={() => onChange(EMPTY_DRAFT)}>
						Clear
					</button>
				</span>
			)}
		</div>
	);
}

function describeViolations(violations: number): string {
	if (violations === 0) return "";
	const fields = violations === 1 ? "One field does" : `${violations} fields do`;
	return `${fields} not match the document. You can send it and see how the gateway responds.`;
}
