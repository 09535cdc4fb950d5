interface SendBarProps {
	/** Why nothing can be sent; `undefined` where it can. */
	readonly obstacle: string | undefined;
	/** Whether it was tried nevertheless. */
	readonly hasTried: boolean;
	/** How many fields the gateway will probably refuse. */
	readonly misfits: number;
	readonly isSending: boolean;
	readonly onSend: () => void;
	readonly onCancel: () => void;
	/** What the form can be filled with; `undefined` where it has no fields. */
	readonly onReset: (() => void) | undefined;
	readonly onClear: (() => void) | undefined;
}

/** Sends what stands in the form, or says why it cannot. */
export function SendBar({
	obstacle,
	hasTried,
	misfits,
	isSending,
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
				{obstacle ?? describeMisfits(misfits)}
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

function describeMisfits(misfits: number): string {
	if (misfits === 0) return "";
	return misfits === 1
		? "One thing does not fit the document. You can send it and see what the gateway says."
		: `${misfits} things do not fit the document. You can send it and see what the gateway says.`;
}
