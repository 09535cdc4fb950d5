import { useState } from "preact/hooks";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Checkbox } from "../../parts/fields.tsx";
import { indentJson } from "../../parts/json-value.ts";
import { Pairs } from "../../parts/pairs.tsx";

/** The maximum length of a shown body: an attachment in base64 would freeze the page. */
const MAX_SHOWN = 100_000;

/** A body, indented or raw as it was signed. */
export function BodyView({ title, body }: { title: string; body: string }) {
	const [isRaw, setIsRaw] = useState(false);
	const isCut = body.length > MAX_SHOWN;
	return (
		<div>
			<CodeBlock
				title={title}
				about={isCut ? `the start of ${body.length.toLocaleString("en")} characters` : ""}
				text={isRaw || isCut ? body.slice(0, MAX_SHOWN) : indentJson(body)}
				language="json"
			/>
			<Checkbox label={`Raw ${title}`} isOn={isRaw} onChange={setIsRaw}>
				Raw
			</Checkbox>
		</div>
	);
}

export function HeaderList({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) {
	return (
		<details>
			<summary class="muted">{title}</summary>
			<Pairs pairs={Object.entries(headers).map(([name, value]) => ({ name, value }))} />
		</details>
	);
}

export function Id({ of, value }: { of: string; value: string }) {
	return (
		<p class="id">
			<span class="muted">Id of the {of}</span> <code>{value}</code>{" "}
			<CopyButton of={`the id of the ${of}`} text={value} />
		</p>
	);
}
