import { Prose } from "../../parts/prose.tsx";
import type { ResponseDescription } from "../document/api-document.ts";

/** The statuses and error codes that the document names for an operation. */
export function ResponsesPanel({ answers }: { answers: readonly ResponseDescription[] }) {
	return (
		<details class="panel fold">
			<summary>
				<h2 class="summary-title">What it can answer</h2>
			</summary>
			<dl class="pairs pairs-narrow">
				{answers.map(({ status, description, errors }) => (
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
