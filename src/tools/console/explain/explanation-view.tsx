import type { Explanation } from "../../doctor/webhooks/explanation.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Prose } from "../parts/prose.tsx";
import type { explainInput } from "./explain-input.ts";

/** The verdict, the findings, and what was checked. */
export function ExplanationView({ result }: { result: ReturnType<typeof explainInput> }) {
	if ("problem" in result) {
		return (
			<p class="bad" role="alert">
				{result.problem}
			</p>
		);
	}
	const { isValid, code, findings, checked } = result;
	const { headerNames, bodyBytes, hmacs, skipped } = checked;
	return (
		<div class="stack">
			<p class={isValid ? "verdict good" : "verdict bad"}>
				<strong>{isValid ? "This delivery is accepted" : "This delivery is rejected"}</strong>
				{code !== undefined && " with "}
				{code !== undefined && <code>{code}</code>}.{isValid && " Signature, timestamp and body are valid."}
			</p>
			{findings.map(({ certainty, cause, message, fix }) => (
				<article key={`${cause} ${message}`} class={`stack finding finding-${certainty}`}>
					<p>
						<span class={certainty === "certain" ? "badge bad" : "badge warn"}>{certainty}</span>{" "}
						<code>{cause}</code>
					</p>
					<h3>
						<Prose text={message} />
					</h3>
					<p>
						<strong>What to do</strong> <Prose text={fix} />
					</p>
				</article>
			))}
			<p class="hint">
				Checked: {headerNames.join(", ") || "no header of a signed delivery"};{" "}
				{bodyBytes === undefined ? "no raw body" : `a body of ${bodyBytes.toLocaleString("en")} bytes`};{" "}
				{hmacs} {hmacs === 1 ? "signature" : "signatures"} computed. {skipped.join(" ")}{" "}
				<CopyButton
					word="Copy report"
					of="– it contains no secret, signature or payload"
					text={writeReport(result)}
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
