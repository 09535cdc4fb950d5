import { useId, useState } from "preact/hooks";
import { MAGIC_NUMBERS } from "../../../local-gateway/magic-numbers.ts";
import { ActionForm, TextField } from "../../parts/fields.tsx";
import { useConsole } from "../console-context.ts";
import { select } from "../hooks/use-selection.ts";

const EXAMPLE_NUMBER = "+15551234567";

/** Writes the first message of a contact, and shows the conversation. */
export function NewContactForm({ onClose }: { onClose?: () => void }) {
	const { client } = useConsole();
	const suggestions = useId();
	const field = useId();
	const hint = useId();
	const [handle, setHandle] = useState(EXAMPLE_NUMBER);
	const [text, setText] = useState("Hi, is anybody there?");
	const [problem, setProblem] = useState<string>();
	const write = async (): Promise<void> => {
		const from = withoutPunctuation(handle);
		await client.act({ type: "reply", from, text });
		setProblem(undefined);
		select(from);
		onClose?.();
	};
	return (
		<ActionForm class="stack" onSubmit={() => write().catch((error: Error) => setProblem(error.message))}>
			<div class="field">
				<label for={field} class="field-head">
					The contact
				</label>
				<input
					id={field}
					type="text"
					required
					autocomplete="off"
					autocapitalize="off"
					spellcheck={false}
					dir="auto"
					aria-describedby={hint}
					list={suggestions}
					value={handle}
					onInput={({ currentTarget }) => setHandle(currentTarget.value)}
				/>
				<span id={hint} class="hint">
					A number such as {EXAMPLE_NUMBER}, an e-mail address, or a short code
				</span>
			</div>
			<datalist id={suggestions}>
				{MAGIC_NUMBERS.map(({ number: magic, name }) => (
					<option key={magic} value={magic}>
						{name}
					</option>
				))}
			</datalist>
			<TextField label="Text" isRequired value={text} onInput={setText} />
			{problem !== undefined && (
				<p class="bad" role="alert">
					{problem}
				</p>
			)}
			<div class={onClose === undefined ? "line" : "dialog-actions beside"}>
				{onClose !== undefined && (
					<button type="button" onClick={onClose}>
						Cancel
					</button>
				)}
				<button type="submit" class="primary">
					Write
				</button>
			</div>
			<details class="magic-numbers">
				<summary>Numbers with special behaviour</summary>
				<ul>
					{MAGIC_NUMBERS.map(({ number: magic, behaviour }) => (
						<li key={magic}>
							<code>{magic}</code> <span class="muted">{behaviour}</span>
						</li>
					))}
				</ul>
			</details>
		</ActionForm>
	);
}

/** A number as people write it loses its punctuation; what else is typed stays as it is. */
function withoutPunctuation(handle: string): string {
	const trimmed = handle.trim();
	return /^\+[\d\s().-]+$/.test(trimmed) ? trimmed.replace(/[\s().-]/g, "") : trimmed;
}
