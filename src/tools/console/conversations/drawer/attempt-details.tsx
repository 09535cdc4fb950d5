import type { AttemptView } from "../../../control/contract.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeResponse, isAcknowledged } from "../state/delivery-facts.ts";
import { BodyView, HeaderList } from "./body-view.tsx";

/** A delivery attempt: the receiver's response, the signature check and the sent headers. The last one is open. */
export function AttemptDetails(props: { attempt: AttemptView; number: number; isLast: boolean }) {
	const { attempt, number, isLast } = props;
	const { at, durationMs, check, isEdited, diagnosis, response, headers, sentBody } = attempt;
	const isGood = isAcknowledged(attempt);
	return (
		<li>
			<details class="card" open={isLast}>
				<summary>
					<span class="muted">#{number}</span>{" "}
					<time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>{" "}
					<span class={isGood ? "good" : "bad"}>
						<Icon name={isGood ? "check" : "failed"} label={isGood ? "acknowledged" : "not acknowledged"} />{" "}
						{describeResponse(attempt)}
					</span>{" "}
					{durationMs !== undefined && <span class="muted">{durationMs} ms</span>}{" "}
					{check?.isValid === false && <span class="badge badge-bad">wrong signature</span>}
					{isEdited === true && <span class="badge">edited</span>}
				</summary>
				<div class="stack">
					{!isLast && diagnosis !== undefined && <p>{diagnosis.reason}</p>}
					{response !== undefined && response.body === "" && (
						<p class="muted">{response.bodyNote ?? "The response has no body."}</p>
					)}
					{response !== undefined && response.body !== "" && (
						<BodyView
							title={response.bodyNote === undefined ? "Response" : `Response (${response.bodyNote})`}
							body={response.body}
						/>
					)}
					{response !== undefined && <HeaderList title="Response headers" headers={response.headers} />}
					{check !== undefined && (
						<p class={check.isValid ? "muted" : "bad"}>
							<Icon name={check.isValid ? "check" : "failed"} />{" "}
							{check.isValid
								? "Correctly signed with the gateway's webhook secret."
								: `${check.code}: ${check.message}`}
						</p>
					)}
					<HeaderList title="Sent headers" headers={headers} />
					{sentBody !== undefined && (
						<BodyView
							title={isEdited === true ? "Sent body, edited" : "Sent body, changed by a fault"}
							body={sentBody}
						/>
					)}
				</div>
			</details>
		</li>
	);
}
