import type { AttemptView } from "../../../local-gateway/control/contract.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeResponse, isAcknowledged } from "../state/delivery-facts.ts";
import { BodyView } from "./body-view.tsx";

/** A try at a delivery: what the receiver said, and what it had been sent. The last one is open. */
export function AttemptDetails({
	attempt,
	number,
	isLast,
}: {
	attempt: AttemptView;
	number: number;
	isLast: boolean;
}) {
	const isGood = isAcknowledged(attempt);
	return (
		<li>
			<details class="attempt" open={isLast}>
				<summary class="attempt-summary">
					<span class="muted">#{number}</span>
					<time dateTime={new Date(attempt.at).toISOString()}>{formatTime(attempt.at)}</time>
					<span class={`attempt-answer ${isGood ? "good" : "bad"}`}>
						<Icon name={isGood ? "check" : "failed"} label={isGood ? "acknowledged" : "not acknowledged"} />{" "}
						{describeResponse(attempt)}
					</span>
					{attempt.check?.isValid === false && <span class="badge bad">wrong signature</span>}
					<Icon name="chevron" class="chevron" />
				</summary>
				<SignatureResult check={attempt.check} />
				<HeaderList headers={attempt.headers} />
				{attempt.sentBody !== undefined && (
					<BodyView title="Body as sent: a fault changed it" body={attempt.sentBody} />
				)}
			</details>
		</li>
	);
}

/** What the verification of the SDK says of what was sent. */
function SignatureResult({ check }: { check: AttemptView["check"] }) {
	if (check === undefined) return null;
	if (check.isValid) {
		return (
			<p class="signature good">
				<Icon name="check" /> The signature is right.
			</p>
		);
	}
	return (
		<p class="signature bad">
			<Icon name="failed" />
			<span>
				<strong>{check.code}</strong>: {check.message}
			</span>
		</p>
	);
}

function HeaderList({ headers }: { headers: Readonly<Record<string, string>> }) {
	return (
		<dl class="headers">
			{Object.entries(headers).map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>
						<code>{value}</code>
					</dd>
				</div>
			))}
		</dl>
	);
}
