import { useRef, useState } from "preact/hooks";
import { copyText } from "../../parts/copy-text.ts";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";

/** Copies the conversation as a vitest test; without access to the clipboard, a dialog shows it. */
export function CopyAsTest({ conversationKey }: { conversationKey: string }) {
	const { client, notify } = useConsole();
	const dialog = useRef<HTMLDialogElement>(null);
	const [source, setSource] = useState("");
	const copy = async (): Promise<void> => {
		try {
			const test = await client.testOf(conversationKey);
			if (await copyText(test)) {
				notify({ tone: "done", text: "The test is on the clipboard." });
				return;
			}
			setSource(test);
			dialog.current?.showModal();
		} catch (error) {
			notify({ tone: "problem", text: error instanceof Error ? error.message : String(error) });
		}
	};
	return (
		<>
			<button type="button" onClick={() => void copy()}>
				<Icon name="code" /> <span>Copy as test</span>
			</button>
			<dialog ref={dialog} class="dialog dialog-wide" aria-labelledby="test-title">
				<h2 id="test-title">The conversation as a test</h2>
				<p class="muted">The browser denies access to the clipboard: select the code and copy it.</p>
				<textarea
					class="code"
					readOnly
					rows={16}
					aria-label="Source of the test"
					value={source}
					onFocus={(event) => event.currentTarget.select()}
				/>
				<div class="dialog-actions">
					<button type="button" class="primary" onClick={() => dialog.current?.close()}>
						Close
					</button>
				</div>
			</dialog>
		</>
	);
}
