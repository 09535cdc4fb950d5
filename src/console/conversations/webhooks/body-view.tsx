import { useState } from "preact/hooks";
import { prettyBody } from "../state/delivery-facts.ts";

/** A body, indented or raw as it was signed. */
export function BodyView({ title, body }: { title: string; body: string }) {
	const [isRaw, setIsRaw] = useState(false);
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
			<pre>{isRaw ? body : prettyBody(body)}</pre>
		</div>
	);
}
