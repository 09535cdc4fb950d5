import { useState } from "preact/hooks";
import type { AttemptView, DeliveryView as Delivery } from "../../../control/contract.ts";
import { ActionForm, TextField } from "../../parts/fields.tsx";
import { formatDuration } from "../../parts/format-time.ts";
import { indentJson } from "../../parts/json-value.ts";
import { useConsole } from "../console-context.ts";
import { CopyMenu, CopySource, OnDemand, TaskButton } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeNextAttempt, describeResponse, isAcknowledged } from "../state/describe-entries.ts";
import { BodyView, HeaderList, Id } from "./body-view.tsx";
import { Commands, hasFix } from "./commands.tsx";

/** A webhook: what can be done with it, its attempts with their responses, and its body. */
export function DeliveryView({ delivery }: { delivery: Delivery }) {
	const { eventId, url, body, attempts } = delivery;
	const next = describeNextAttempt(delivery);
	return (
		<>
			<DeliveryActions delivery={delivery} />
			<p>
				{url !== "" && <code>POST {url}</code>}
				<br />
				<span class="muted">{next}</span>
			</p>
			<ol class="rows" aria-label="Attempts">
				{attempts.map((attempt, at) => (
					<AttemptDetails
						// biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
						key={at}
						attempt={attempt}
						number={at + 1}
						isLast={at === attempts.length - 1}
						shown={delivery.diagnosis?.reason}
					/>
				))}
			</ol>
			<BodyView title="Body" body={body} />
			<Id of="event" value={eventId} />
		</>
	);
}

function DeliveryActions({ delivery }: { delivery: Delivery }) {
	const { client } = useConsole();
	const [opened, setOpened] = useState<"edit" | "explain">();
	const { eventId, attempts, diagnosis } = delivery;
	const last = attempts.at(-1);
	const toggle = (panel: "edit" | "explain"): void => setOpened(opened === panel ? undefined : panel);
	const sent = last && { ...delivery, headers: last.headers, body: last.sentBody ?? delivery.body };
	return (
		<>
			<div class="actions">
				<TaskButton
					class={hasFix(diagnosis) ? undefined : "primary"}
					task={() => client.act({ type: "redeliver", eventId })}
					done="Tried"
				>
					Try now
				</TaskButton>
				<button type="button" aria-expanded={opened === "edit"} onClick={() => toggle("edit")}>
					Edit
				</button>
				{sent !== undefined && (
					<button type="button" aria-expanded={opened === "explain"} onClick={() => toggle("explain")}>
						Explain
					</button>
				)}
				<CopyMenu>
					{sent !== undefined && (
						<>
							<CopySource
								label="Copy as curl"
								write={async () => (await import("./write-code.ts")).writeWebhookCurl(sent)}
							/>
							<CopySource
								label="Copy as test"
								write={async () => (await import("./write-code.ts")).writeWebhookTest(sent)}
							/>
						</>
					)}
					<Commands diagnosis={diagnosis} />
				</CopyMenu>
			</div>
			{opened === "edit" && <EditBody delivery={delivery} onClose={() => setOpened(undefined)} />}
			{opened === "explain" && (
				<OnDemand load={() => import("./explain/explain-panel.tsx")}>
					{({ ExplainPanel }) => <ExplainPanel delivery={delivery} />}
				</OnDemand>
			)}
		</>
	);
}

function EditBody({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
	const { act } = useConsole();
	const [body, setBody] = useState(() => indentJson(delivery.body));
	const send = async (): Promise<void> => {
		const action = { type: "redeliver", eventId: delivery.eventId, body } as const;
		if (await act(action)) onClose();
	};
	return (
		<ActionForm class="stack" onSubmit={() => void send()}>
			<TextField
				label="Body to send"
				hint="It is signed as written and goes to the same URL; the event keeps its own body."
				rows={12}
				value={body}
				onInput={setBody}
			/>
			<div class="dialog-actions beside">
				<button type="button" onClick={onClose}>
					Cancel
				</button>
				<button type="submit" class="primary">
					Sign and send
				</button>
			</div>
		</ActionForm>
	);
}

/** A delivery attempt: the receiver's response, the signature check and the sent headers. The last one is open. */
function AttemptDetails(props: {
	attempt: AttemptView;
	number: number;
	isLast: boolean;
	/** The reason that the drawer begins with. */
	shown: string | undefined;
}) {
	const { attempt, number, isLast, shown } = props;
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
					{durationMs !== undefined && <span class="muted">{formatDuration(durationMs)}</span>}{" "}
					{check?.isValid === false && <span class="badge badge-bad">wrong signature</span>}
					{isEdited === true && <span class="badge">edited</span>}
				</summary>
				<div class="stack">
					{diagnosis !== undefined && diagnosis.reason !== shown && <p>{diagnosis.reason}</p>}
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
