import type { Explanation, Finding } from "../../../doctor/webhooks/explanation.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Prose } from "../../parts/prose.tsx";
import { writeReport } from "../write-report.ts";

interface ResultViewProps {
	readonly result: Explanation | { readonly problem: string };
	/** Whether the input has changed since the explanation. */
	readonly isStale: boolean;
}

/** The verdict, the findings, and what was checked. */
export function ResultView({ result, isStale }: ResultViewProps) {
	if ("problem" in result) {
		return (
			<p class="problem" role="alert">
				{result.problem}
			</p>
		);
	}
	return (
		<>
			{isStale && (
				<p class="stale" role="status">
					The input has changed since. Explain it again.
				</p>
			)}
			<Verdict explanation={result} />
			{result.findings.map((finding) => (
				<FindingCard key={`${finding.cause} ${finding.message}`} finding={finding} />
			))}
			<Checked explanation={result} />
		</>
	);
}

function Verdict({ explanation: { isValid, code } }: { explanation: Explanation }) {
	return isValid ? (
		<p class="verdict verdict-good">
			<strong>This delivery is accepted.</strong> Signature, timestamp and body are valid.
		</p>
	) : (
		<p class="verdict verdict-bad">
			<strong>This delivery is rejected</strong>
			{code !== undefined && (
				<>
					{" "}
					with <code>{code}</code>
				</>
			)}
			.
		</p>
	);
}

function FindingCard({ finding: { certainty, message, fix, cause } }: { finding: Finding }) {
	return (
		<article class={`finding finding-${certainty}`}>
			<p class="finding-head">
				<span class={certainty === "certain" ? "badge badge-bad" : "badge badge-warn"}>{certainty}</span>
				<code>{cause}</code>
			</p>
			<h3>
				<Prose text={message} />
			</h3>
			<p>
				<span class="finding-label">What to do</span> <Prose text={fix} />
			</p>
		</article>
	);
}

function Checked({ explanation }: { explanation: Explanation }) {
	const { headerNames, bodyBytes, hmacs, skipped } = explanation.checked;
	return (
		<div class="checked">
			<div class="checked-head">
				<h3>What was checked</h3>
				<CopyButton
					word="Copy report"
					of="– it contains no secret, signature or payload"
					text={writeReport(explanation)}
				/>
			</div>
			<ul>
				<li>
					{headerNames.length === 0 ? "No header of a signed delivery" : `Headers ${headerNames.join(", ")}`}
				</li>
				<li>
					{bodyBytes === undefined ? "No raw body" : `A body of ${bodyBytes.toLocaleString("en")} bytes`}
				</li>
				<li>{hmacs === 0 ? "No other signatures computed" : `${hmacs} signatures computed`}</li>
				{skipped.map((sentence) => (
					<li key={sentence}>{sentence}</li>
				))}
			</ul>
		</div>
	);
}
