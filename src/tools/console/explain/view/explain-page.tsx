import { useRef, useState } from "preact/hooks";
import type { Explanation } from "../../../doctor/webhooks/explanation.ts";
import { takeHandOver } from "../../hand-over.ts";
import type { Example } from "../examples.ts";
import { EMPTY_INPUT, type ExplainInput } from "../input/explain-input.ts";
import { runExplanation } from "../input/run-explanation.ts";
import { DeliveryForm } from "./delivery-form.tsx";
import { ExampleList } from "./example-list.tsx";
import { ResultView } from "./result-view.tsx";

/** A result and its input. */
interface Run {
	readonly input: ExplainInput;
	readonly result: Explanation | { readonly problem: string };
}

/** The delivery that another page handed over, or an empty form. */
function takeInput(): ExplainInput {
	const delivery = takeHandOver("/explain");
	if (delivery === undefined) return EMPTY_INPUT;
	const { headers, body, now } = delivery;
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	return { ...EMPTY_INPUT, headers: lines.join("\n"), body: { ...EMPTY_INPUT.body, text: body }, now };
}

/** The page /explain: it explains why the signature of a pasted delivery does not match. */
export function ExplainPage() {
	const [input, setInput] = useState(takeInput);
	const [run, setRun] = useState<Run>();
	/** Counts how often the whole form was replaced; as its key, it resets the form's state. */
	const [loads, setLoads] = useState(0);
	const results = useRef<HTMLHeadingElement>(null);
	const explain = (from: ExplainInput): void => {
		setRun({ input: from, result: runExplanation(from) });
		// On a narrow screen the result is below the visible area; focusing it also informs screen readers.
		requestAnimationFrame(() => results.current?.focus());
	};
	const fill = (filled: ExplainInput): void => {
		setInput(filled);
		setLoads(loads + 1);
	};
	const load = ({ input: loaded }: Example): void => {
		fill(loaded);
		explain(loaded);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
		event.preventDefault();
		explain(input);
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: a keyboard shortcut for the Explain button in the whole form
		<div class="explain" onKeyDown={onKeyDown}>
			<header class="explain-header">
				<h1>Why doesn’t my signature match?</h1>
				<p>
					Paste a webhook delivery that was rejected. The page tries common mistakes, computes the signature
					again, and shows what it found. <strong>Nothing leaves this page</strong>: no header, body or secret
					is sent or stored. New here? <a href="#found">Load an example</a>.
				</p>
			</header>
			<div class="explain-column">
				<DeliveryForm
					key={loads}
					input={input}
					onChange={setInput}
					onExplain={() => explain(input)}
					onClear={() => fill(EMPTY_INPUT)}
				/>
			</div>
			<div class="explain-column">
				<section class="panel" id="found" aria-labelledby="result-title">
					<h2 id="result-title" ref={results} tabIndex={-1}>
						What was found
					</h2>
					{run === undefined ? (
						<>
							<p class="muted">Nothing explained yet. Paste a delivery, or load an example:</p>
							<ExampleList onLoad={load} />
						</>
					) : (
						<ResultView result={run.result} isStale={run.input !== input} />
					)}
				</section>
				{run !== undefined && (
					<details class="panel fold">
						<summary>
							<h2 class="summary-title">Load an example</h2>
						</summary>
						<ExampleList onLoad={load} />
					</details>
				)}
			</div>
		</div>
	);
}
