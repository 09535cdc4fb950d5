import { useId, useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { Field } from "../controls.tsx";
import { select } from "../hooks/use-selection.ts";
import { MagicNumberOptions } from "./magic-numbers.tsx";

const EXAMPLE_NUMBER = "+15551234567";

/** Writes the first message of a contact, and shows the conversation. */
export function NewContactForm({ onDone, onCancel }: { onDone?: () => void; onCancel?: () => void }) {
	const { attempt } = useConsole();
	const suggestions = useId();
	const [number, setNumber] = useState(EXAMPLE_NUMBER);
	const [text, setText] = useState("Hi, is anybody there?");
	const [problem, setProblem] = useState<string>();
	const write = async (): Promise<void> => {
		const from = number.replace(/[\s()-]/g, "");
		const failure = await attempt({ type: "reply", from, text });
		setProblem(failure);
		if (failure !== undefined) return;
		select(from);
		onDone?.();
	};
	return (
		<form
			class="stack"
			onSubmit={(event) => {
				event.preventDefault();
				void write();
			}}
		>
			<Field label="The contact's number">
				<input
					type="tel"
					required
					autocomplete="off"
					list={suggestions}
					value={number}
					onInput={(event) => setNumber(event.currentTarget.value)}
				/>
			</Field>
			<MagicNumberOptions id={suggestions} />
			<Field label="Text">
				<input
					type="text"
					dir="auto"
					required
					autocomplete="off"
					value={text}
					onInput={(event) => setText(event.currentTarget.value)}
				/>
			</Field>
			{problem !== undefined && (
				<p class="bad form-problem" role="alert">
					{problem}
				</p>
			)}
			<div class="dialog-actions">
				{onCancel !== undefined && (
					<button type="button" onClick={onCancel}>
						Cancel
					</button>
				)}
				<button type="submit" class="primary">
					Write
				</button>
			</div>
		</form>
	);
}
