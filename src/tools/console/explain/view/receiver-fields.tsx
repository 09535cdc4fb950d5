import { useId } from "preact/hooks";
import type { ExplainInput } from "../input/explain-input.ts";
import { findTimestamp } from "../input/find-timestamp.ts";
import { readTime } from "../input/read-time.ts";

interface ReceiverFieldsProps {
	readonly input: ExplainInput;
	readonly onChange: (input: ExplainInput) => void;
}

/** The header prefix, the tolerance, and the receiver's time at verification. */
export function ReceiverFields({ input, onChange }: ReceiverFieldsProps) {
	const id = useId();
	const { vendor, toleranceSeconds, now } = input;
	const signedAt = findTimestamp(input);
	return (
		<>
			<div class="receiver-fields">
				<div class="field">
					<label class="field-label" for={`${id}-vendor`}>
						Header prefix
					</label>
					<input
						id={`${id}-vendor`}
						value={vendor}
						autoComplete="off"
						spellcheck={false}
						aria-describedby={`${id}-vendor-about`}
						onInput={(event) => onChange({ ...input, vendor: event.currentTarget.value })}
					/>
					<p id={`${id}-vendor-about`} class="hint">
						As in X-{vendor.trim() || "SVC"}-Signature.
					</p>
				</div>
				<div class="field">
					<label class="field-label" for={`${id}-tolerance`}>
						Tolerance
					</label>
					<input
						id={`${id}-tolerance`}
						value={toleranceSeconds}
						inputMode="numeric"
						autoComplete="off"
						aria-describedby={`${id}-tolerance-about`}
						onInput={(event) => onChange({ ...input, toleranceSeconds: event.currentTarget.value })}
					/>
					<p id={`${id}-tolerance-about`} class="hint">
						In seconds.
					</p>
				</div>
			</div>
			<div class="field">
				<label class="field-label" for={`${id}-now`}>
					The receiver’s time
				</label>
				<input
					id={`${id}-now`}
					value={now}
					placeholder="now"
					autoComplete="off"
					spellcheck={false}
					aria-describedby={`${id}-now-about`}
					onInput={(event) => onChange({ ...input, now: event.currentTarget.value })}
				/>
				<p id={`${id}-now-about`} class="hint">
					{describeTime(now)}{" "}
					{signedAt !== undefined && (
						<button type="button" class="link" onClick={() => onChange({ ...input, now: signedAt })}>
							When it was signed
						</button>
					)}
				</p>
			</div>
		</>
	);
}

function describeTime(text: string): string {
	if (text.trim() === "") return "A date, Unix seconds or milliseconds. Empty for this machine’s time.";
	const ms = readTime(text);
	return ms === undefined ? "This is not Unix time or a date." : `Fixed at ${new Date(ms).toUTCString()}.`;
}
