import type { AttemptView, ReceiverResponseView } from "../../../control/contract.ts";
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
					{attempt.durationMs !== undefined && <span class="muted">{attempt.durationMs} ms</span>}
					{attempt.check?.isValid === false && <span class="badge bad">wrong signature</span>}
					{attempt.isEdited === true && <span class="badge">edited</span>}
					<Icon name="chevron" class="chevron" />
				</summary>
				{attempt.response !== undefined && <ResponseDetails response={attempt.response} />}
				<SignatureResult check={attempt.check} />
				<div>
					<strong>Sent headers</strong>
					<HeaderList headers={attempt.headers} />
				</div>
				{attempt.sentBody !== undefined && (
					<BodyView
						title={attempt.isEdited === true ? "Sent body, edited" : "Sent body, changed by a fault"}
						body={attempt.sentBody}
					/>
				)}
			</details>
		</li>
	);
}

/** What the receiver responded beside the status. */
function ResponseDetails({ response }: { response: ReceiverResponseView }) {
	const { headers, body, bodyNote } = response;
	return (
		<div>
			{body === "" ? (
				<p class="muted">{bodyNote ?? "The response has no body."}</p>
			) : (
				<BodyView title={bodyNote === undefined ? "Response" : `Response (${bodyNote})`} body={body} />
			)}
			<details>
				<summary class="muted">Response headers</summary>
				<HeaderList headers={headers} />
			</details>
		</div>
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

export function HeaderList({ headers }: { headers: Readonly<Record<string, string>> }) {
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
