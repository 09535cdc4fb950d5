import { useState } from "preact/hooks";
import { prettyBody } from "../state/delivery-facts.ts";

/** The maximum length of a shown body: an attachment in base64 would freeze the page. */
const MAX_SHOWN = 100_000;

/** A body, indented or raw as it was signed. */
export function BodyView({ title, body }: { title: string; body: string }) {
	const [isRaw, setIsRaw] = useState(false);
	const isCut = body.length > MAX_SHOWN;
	return (
		<div class="body">
			<div class="body-header">
				<strong>{title}</strong>
				<label class="check">
					<input
						type="checkbox"
						checked={isRaw}
						onChange={({ currentTarget }) => setIsRaw(currentTarget.checked)}
					/>
					Raw
				</label>
			</div>
			<pre dir="auto">{isRaw || isCut ? body.slice(0, MAX_SHOWN) : prettyBody(body)}</pre>
			{isCut && <p class="muted">The start of {body.length.toLocaleString("en")} characters.</p>}
		</div>
	);
}
