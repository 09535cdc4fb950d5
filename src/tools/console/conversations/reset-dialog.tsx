import type { RefObject } from "preact";

/** Asks for confirmation before a reset. */
export function ResetDialog({
	dialog,
	onConfirm,
}: {
	dialog: RefObject<HTMLDialogElement | null>;
	onConfirm: () => void;
}) {
	const close = (): void => dialog.current?.close();
	return (
		<dialog ref={dialog} aria-labelledby="reset-title" class="dialog">
			<h2 id="reset-title">Reset the gateway?</h2>
			<p>
				Messages, mappings, requests, webhooks and faults are deleted, and the agents are as they were at the
				start. The clock returns to this machine's time.
			</p>
			<div class="dialog-actions">
				<button type="button" onClick={close}>
					Keep everything
				</button>
				<button
					type="button"
					class="danger"
					onClick={() => {
						close();
						onConfirm();
					}}
				>
					Reset
				</button>
			</div>
		</dialog>
	);
}
