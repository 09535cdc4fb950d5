import { Prose } from "../../parts/prose.tsx";
import type { ResponseDescription } from "../document/api-document.ts";

/** The documented statuses and error codes of an operation. */
export function ResponsesPanel({ responses }: { responses: readonly ResponseDescription[] }) {
	return (
		<details class="panel fold">
			<summary>
				<h2 class="summary-title">Possible responses</h2>
			</summary>
			<dl class="pairs pairs-narrow">
				{responses.map(({ status, description, errors }) => (
					<div key={status}>
						<dt>
							<span class={status.startsWith("2") ? "badge badge-good" : "badge badge-bad"}>{status}</span>
						</dt>
						<dd>
							{description !== "" && (
								<p>
									<Prose text={description} />
								</p>
							)}
							{errors.map(({ code, meaning }) => (
								<p key={code}>
									<code>{code}</code> <Prose text={meaning} />
								</p>
							))}
						</dd>
					</div>
				))}
			</dl>
		</details>
	);
}
