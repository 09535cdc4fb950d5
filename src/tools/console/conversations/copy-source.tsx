import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../parts/copy-text.ts";
import { useConsole } from "./console-context.ts";
import { Icon } from "./icons.tsx";

/** Copies a source that is written on demand; without access to the clipboard, a dialog shows it. */
export function CopySource(props: {
	/** The label of the button, such as `Copy as test`. */
	label: string;
	/** What is copied, such as `The test`. */
	of: string;
	write: () => Promise<string>;
}) {
	const { notify } = useConsole();
	const [source, setSource] = useState<string>();
	const copy = async (): Promise<void> => {
		try {
			const written = await props.write();
			if (await copyText(written)) notify({ tone: "done", text: `${props.of} is on the clipboard.` });
			else setSource(written);
		} catch (error) {
			notify({ tone: "problem", text: error instanceof Error ? error.message : String(error) });
		}
	};
	return (
		<>
			<button type="button" onClick={() => void copy()}>
				<Icon name="code" /> <span>{props.label}</span>
			</button>
			{source !== undefined && (
				<SourceDialog title={props.of} source={source} onClose={() => setSource(undefined)} />
			)}
		</>
	);
}

function SourceDialog(props: { title: string; source: string; onClose: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog ref={dialog} class="dialog dialog-wide" aria-label={props.title} onClose={props.onClose}>
			<h2>{props.title}</h2>
			<p class="muted">The browser denies access to the clipboard: select the code and copy it.</p>
			<textarea
				class="code"
				readOnly
				rows={16}
				aria-label="Source"
				value={props.source}
				onFocus={(event) => event.currentTarget.select()}
			/>
			<div class="dialog-actions">
				<button type="button" class="primary" onClick={() => dialog.current?.close()}>
					Close
				</button>
			</div>
		</dialog>
	);
}
