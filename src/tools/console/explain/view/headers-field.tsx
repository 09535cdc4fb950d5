import { useId } from "preact/hooks";
import { webhookHeaderNames } from "../../../../library/catalogue/webhook-headers.ts";
import { type ReadHeaders, readHeaders } from "../input/read-headers.ts";

interface HeadersFieldProps {
	readonly text: string;
	readonly vendor: string;
	readonly onText: (text: string) => void;
}

/** The pasted headers, and a summary of what was parsed. */
export function HeadersField({ text, vendor, onText }: HeadersFieldProps) {
	const id = useId();
	return (
		<div class="field">
			<label class="field-label" for={id}>
				Headers
			</label>
			<textarea
				id={id}
				class="code"
				rows={6}
				value={text}
				spellcheck={false}
				autoComplete="off"
				placeholder={"X-SVC-Event-Id: evt_…\nX-SVC-Timestamp: 1767225600\nX-SVC-Signature: v1=…"}
				aria-describedby={`${id}-about`}
				onInput={(event) => onText(event.currentTarget.value)}
			/>
			<p id={`${id}-about`} class="hint">
				{text.trim() === "" ? "Lines, JSON, or the output of curl -v." : describe(readHeaders(text), vendor)}
			</p>
		</div>
	);
}

function describe({ headers, unreadable }: ReadHeaders, vendor: string): string {
	const names = Object.keys(headers);
	const prefix = vendor.trim();
	const { all } = webhookHeaderNames(prefix === "" ? undefined : { headerPrefix: prefix });
	const missing = all.filter((name) => !names.some((given) => given.toLowerCase() === name.toLowerCase()));
	const [first] = unreadable;
	return [
		`${names.length} ${names.length === 1 ? "header" : "headers"} read.`,
		...(missing.length === 0 ? ["All three webhook headers found."] : [`Missing: ${missing.join(", ")}.`]),
		...(first === undefined ? [] : [`Line ${first.number} is not a header: ${first.text}`]),
	].join(" ");
}
