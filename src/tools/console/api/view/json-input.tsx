import { useId } from "preact/hooks";

interface JsonInputProps {
	readonly text: string;
	readonly problem: string | undefined;
	readonly onText: (text: string) => void;
}

/** The whole body as JSON. */
export function JsonInput({ text, problem, onText }: JsonInputProps) {
	const id = useId();
	const formatted = format(text);
	return (
		<div class={problem === undefined ? "field" : "field has-problem"}>
			<div class="field-head">
				<label for={id}>Body</label>
				<button
					type="button"
					class="link to-the-end"
					disabled={formatted === undefined || formatted === text}
					onClick={() => onText(formatted ?? text)}
				>
					Format
				</button>
			</div>
			<textarea
				id={id}
				class="code"
				dir="auto"
				rows={Math.min(24, Math.max(8, text.split("\n").length + 1))}
				value={text}
				spellcheck={false}
				autoComplete="off"
				aria-invalid={problem !== undefined}
				aria-describedby={problem === undefined ? undefined : `${id}-problem`}
				onInput={(event) => onText(event.currentTarget.value)}
			/>
			{problem !== undefined && (
				<p id={`${id}-problem`} class="problem">
					{problem}
				</p>
			)}
		</div>
	);
}

function format(text: string): string | undefined {
	try {
		return JSON.stringify(JSON.parse(text), undefined, 2);
	} catch {
		return undefined;
	}
}
