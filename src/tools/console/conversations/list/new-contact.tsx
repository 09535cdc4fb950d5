import { useId, useState } from "preact/hooks";
import { MAGIC_NUMBERS } from "../../../local-gateway/magic-numbers.ts";
import { useConsole } from "../console-context.ts";
import { Field } from "../controls.tsx";
import { CopySource } from "../copy-source.tsx";
import { select } from "../hooks/use-selection.ts";

const EXAMPLE_NUMBER = "+15551234567";

/** Writes the first message of a contact, and shows the conversation. */
export function NewContactForm({ onClose }: { onClose?: () => void }) {
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
		onClose?.();
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
			<datalist id={suggestions}>
				{MAGIC_NUMBERS.map(({ number: magic, name }) => (
					<option key={magic} value={magic}>
						{name}
					</option>
				))}
			</datalist>
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
		</form>
	);
}

const DEFAULT_BASE_URL = "http://localhost:8080";

/** What to do first: shown until there is something else. */
export function Welcome({ baseUrl }: { baseUrl: string }) {
	const target = baseUrl === DEFAULT_BASE_URL ? "" : ` --base-url ${baseUrl}`;
	const command = `npx messaging-gateway send --to +15551234567 --text Hello${target}`;
	return (
		<section class="welcome" aria-labelledby="welcome-title">
			<h3 id="welcome-title">No messages yet</h3>
			<p>Send one from a terminal, or from your own code:</p>
			<p class="command">
				<code>{command}</code>
				<CopySource label="Copy the command" of="The command" write={async () => command} />
			</p>
			<div class="card">
				<h3>Write as a new contact</h3>
				<p class="muted">Your webhook URL receives an inbound_message.</p>
				<NewContactForm />
			</div>
		</section>
	);
}
