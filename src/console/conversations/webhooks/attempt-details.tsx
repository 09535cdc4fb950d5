import type { AttemptView } from "../../../control/contract.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeResponse, isAcknowledged } from "../state/delivery-facts.ts";
import { BodyView } from "./body-view.tsx";

/** A delivery attempt: the receiver's response, the signature check and the sent headers. The last one is open. */
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
					<span class={`attempt-response ${isGood ? "good" : "bad"}`}>
						<Icon name={isGood ? "check" : "failed"} label={isGood ? "acknowledged" : "not acknowledged"} />{" "}
						{describeResponse(attempt)}
					</span>
					{attempt.check?.isValid === false && <span class="badge bad">wrong signature</span>}
					<Icon name="chevron" class="chevron" />
				</summary>
				<SignatureResult check={attempt.check} />
				<HeaderList headers={attempt.headers} />
				{attempt.sentBody !== undefined && (
					<BodyView title="Sent body, changed by a fault" body={attempt.sentBody} />
				)}
			</details>
		</li>
	);
}

/** The result of the SDK's verification of the sent webhook. */
function SignatureResult({ check }: { check: AttemptView["check"] }) {
	if (check === undefined) return null;
	if (check.isValid) {
		return (
			<p class="signature good">
				<Icon name="check" /> The signature is valid.
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
