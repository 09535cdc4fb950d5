import { useRef, useState } from "preact/hooks";
import { TextField } from "../parts/fields.tsx";
import { BodyField } from "./body-field.tsx";
import { EXAMPLES } from "./examples.ts";
import {
	describeHeaders,
	EMPTY_INPUT,
	type ExplainInput,
	explainInput,
	findTimestamp,
	prefixOf,
	readTime,
} from "./explain-input.ts";
import { ExplanationView } from "./explanation-view.tsx";

/** The page /explain: it explains why the signature of a pasted delivery does not match. */
export function ExplainPage() {
	const [input, setInput] = useState(EMPTY_INPUT);
	const [run, setRun] = useState<{ input: ExplainInput; result: ReturnType<typeof explainInput> }>();
	const results = useRef<HTMLHeadingElement>(null);
	const explain = (given: ExplainInput): void => {
		setInput(given);
		setRun({ input: given, result: explainInput(given) });
		// On a narrow screen the result is below the visible area; focusing it also informs screen readers.
		requestAnimationFrame(() => results.current?.focus());
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
		event.preventDefault();
		explain(input);
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a keyboard shortcut for the Explain button in the whole form
		<div class="explain columns" onKeyDown={onKeyDown}>
			<header>
				<h1>Why doesn’t my signature match?</h1>
				<p>
					Paste a webhook delivery that was rejected. The page tries common mistakes, computes the signature
					again, and shows what it found. <strong>Nothing leaves this page</strong>: no header, body or secret
					is sent or stored.
				</p>
			</header>
			<div class="column">
				<DeliveryFields input={input} onChange={setInput} />
				<ReceiverFields input={input} onChange={setInput} />
				<div class="line">
					<button
						type="button"
						class="primary"
						onClick={() => explain(input)}
						aria-keyshortcuts="Control+Enter"
					>
						Explain
					</button>
					<span class="keys" aria-hidden="true">
						Ctrl ↵
					</span>
					<button type="button" class="link to-the-end" onClick={() => setInput(EMPTY_INPUT)}>
						Clear
					</button>
				</div>
			</div>
			<div class="column">
				<section class="panel" aria-labelledby="result-title">
					<h2 id="result-title" ref={results} tabIndex={-1}>
						What was found
					</h2>
					{run === undefined && <p class="muted">Nothing explained yet.</p>}
					{run !== undefined && run.input !== input && (
						<p class="warn" role="status">
							The input has changed since. Explain it again.
						</p>
					)}
					{run !== undefined && <ExplanationView result={run.result} />}
				</section>
				<details class="panel fold" open={run === undefined}>
					<summary>
						<h2>Load an example</h2>
					</summary>
					<div class="line">
						{Object.entries(EXAMPLES).map(([title, example]) => (
							<button key={title} type="button" onClick={() => explain(example)}>
								{title}
							</button>
						))}
					</div>
				</details>
			</div>
		</div>
	);
}

type FieldsProps = { readonly input: ExplainInput; readonly onChange: (input: ExplainInput) => void };

function DeliveryFields({ input, onChange }: FieldsProps) {
	return (
		<section class="panel" aria-label="The delivery">
			<h2>The delivery</h2>
			<TextField
				label="Headers"
				rows={6}
				value={input.headers}
				onInput={(headers) => onChange({ ...input, headers })}
				placeholder={"X-SVC-Event-Id: evt_…\nX-SVC-Timestamp: 1767225600\nX-SVC-Signature: v1=…"}
				hint={input.headers.trim() !== "" ? describeHeaders(input) : "Lines, JSON, or the output of curl -v."}
			/>
			<BodyField body={input.body} onBody={(body) => onChange({ ...input, body })} />
		</section>
	);
}

/** The receiver's secrets, and the secrets that the sender may have used; its settings, and its time. */
function ReceiverFields({ input, onChange }: FieldsProps) {
	const { secondSecret, appSecret, otherSecret, now } = input;
	const signedAt = findTimestamp(input);
	const field = (name: Exclude<keyof ExplainInput, "body">) => ({
		value: input[name],
		onInput: (value: string) => onChange({ ...input, [name]: value }),
	});
	return (
		<section class="panel" aria-label="The receiver">
			<h2>The receiver</h2>
			<TextField
				label="Webhook secret"
				isSecret
				{...field("secret")}
				hint="Unchanged, with its whitespace."
			/>
			<details class="fold" open={`${secondSecret}${appSecret}${otherSecret}` !== ""}>
				<summary>Other secrets that the sender may have used</summary>
				<div class="fold-fields">
					<TextField label="Second secret, during a rotation" isSecret {...field("secondSecret")} />
					<TextField label="App Secret" isSecret {...field("appSecret")} />
					<TextField label="Secret of another environment" isSecret {...field("otherSecret")} />
				</div>
			</details>
			<div class="field-row">
				<TextField
					label="Header prefix"
					{...field("vendor")}
					hint={`As in X-${prefixOf(input)}-Signature.`}
				/>
				<TextField label="Tolerance" {...field("toleranceSeconds")} hint="In seconds." />
			</div>
			<TextField label="The receiver’s time" placeholder="now" {...field("now")} hint={describeTime(now)} />
			{signedAt !== undefined && (
				<button type="button" class="link" onClick={() => onChange({ ...input, now: signedAt })}>
					When it was signed
				</button>
			)}
		</section>
	);
}

function describeTime(text: string): string {
	if (text.trim() === "") return "A date, Unix seconds or milliseconds. Empty for this machine’s time.";
	const ms = readTime(text);
	return ms === undefined ? "This is not Unix time or a date." : `Fixed at ${new Date(ms).toUTCString()}.`;
}
