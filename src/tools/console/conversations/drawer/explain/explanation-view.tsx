import type { Explanation } from "../../../../doctor/webhooks/explanation.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Prose } from "../../../parts/prose.tsx";

/** The verdict, the findings, and what was checked. */
export function ExplanationView({ explanation }: { explanation: Explanation }) {
	const { isValid, code, findings, checked } = explanation;
	const { headerNames, bodyBytes, hmacs, skipped } = checked;
	return (
		<div class="stack">
			{isValid ? (
				<p class="good">With these the delivery is accepted: look for what else differs.</p>
			) : (
				<p class="bad">
					With these the delivery is rejected{code !== undefined && ": "}
					{code !== undefined && <code>{code}</code>}.
				</p>
			)}
			<ul class="rows">
				{findings.map(({ cause, certainty, message, fix }) => (
					<li key={`${cause} ${message}`}>
						<p>
							<span class={`badge badge-${certainty === "certain" ? "bad" : "warn"}`}>{certainty}</span>{" "}
							<code class="muted">{cause}</code>
						</p>
						<strong>
							<Prose text={message} />
						</strong>{" "}
						<Prose text={fix} />
					</li>
				))}
			</ul>
			<p class="hint">
				Checked: {headerNames.join(", ") || "no header of a signed delivery"};{" "}
				{bodyBytes === undefined ? "no raw body" : `a body of ${bodyBytes.toLocaleString("en")} bytes`};{" "}
				{hmacs} {hmacs === 1 ? "signature" : "signatures"} computed. {skipped.join(" ")}{" "}
				<CopyButton
					word="Copy report"
					of="– it contains no secret, signature or payload"
					text={writeReport(explanation)}
				/>
			</p>
		</div>
	);
}

/** Writes an explanation as text, to share. Like the explanation, it contains no secret, signature or payload. */
export function writeReport({ isValid, code, findings, checked }: Explanation): string {
	const { headerNames, bodyBytes, hmacs, skipped } = checked;
	return [
		isValid
			? "The delivery is accepted."
			: `The delivery is rejected${code === undefined ? "" : ` with ${code}`}.`,
		...findings.map(({ certainty, cause, message, fix }) => `- ${certainty} (${cause}): ${message} ${fix}`),
		`Checked: ${headerNames.join(", ") || "no headers"}; ${bodyBytes ?? "no"} bytes of raw body; ${hmacs} HMACs.`,
		...skipped,
		"",
	].join("\n");
}
