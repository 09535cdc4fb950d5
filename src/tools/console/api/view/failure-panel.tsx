import { Prose } from "../../parts/prose.tsx";
import type { FailureView } from "../call/describe-failure.ts";
import { formatDuration } from "../call/read-response.ts";

/** A failed call: the error class that an application would catch, the outcome, and what to do. */
export function FailurePanel({ failure }: { failure: FailureView }) {
	const { className, code, message, outcome, meaning, gatewayCode, gatewayMeaning, retryAfterMs } = failure;
	return (
		<div class="failure">
			<h3 class="error-class">
				<code>{className}</code>
			</h3>
			<p dir="auto">
				<Prose text={message} />
			</p>
			<dl class="pairs">
				{code !== undefined && <Row name="code" value={code} />}
				{gatewayCode !== undefined && <Row name="gatewayCode" value={gatewayCode} about={gatewayMeaning} />}
				{outcome !== undefined && <Row name="outcome" value={outcome} about={meaning} />}
				{retryAfterMs !== undefined && (
					<Row
						name="retryAfterMs"
						value={`${retryAfterMs}`}
						about={`Retry in ${formatDuration(retryAfterMs)}.`}
					/>
				)}
			</dl>
			<FieldErrors failure={failure} />
			<p>
				<strong>What to do</strong>
				<br />
				{failure.advice}
			</p>
		</div>
	);
}

function Row({ name, value, about }: { name: string; value: string; about?: string | undefined }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>
				<code>{value}</code>
				{about !== undefined && about !== "" && (
					<span class="about">
						<Prose text={about} />
					</span>
				)}
			</dd>
		</div>
	);
}

function FieldErrors({ failure: { fieldErrors } }: { failure: FailureView }) {
	if (fieldErrors.length === 0) return null;
	return (
		<ul class="field-errors">
			{fieldErrors.map(({ field, issue, message }) => (
				<li key={`${field} ${issue} ${message}`}>
					<code>{field || "(body)"}</code> {message} <span class="issue">{issue}</span>
				</li>
			))}
		</ul>
	);
}
