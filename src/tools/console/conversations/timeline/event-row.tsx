import { useEffect, useState } from "preact/hooks";
import { parseJson } from "../../../control/parse-json.ts";
import { formatDuration } from "../../parts/format-time.ts";
import { asObject, asString } from "../../parts/json-value.ts";
import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeDelivery, describeRequest, SLOW_MS } from "../state/describe-entries.ts";
import type { RequestRow, WebhookRow } from "../state/timeline-rows.ts";

export interface RowState {
	readonly isSelected: boolean;
	/** Whether it is the row that is a tab stop. */
	readonly isReachable: boolean;
}

/** A webhook to the application, or a request; a rejected send is a ghost of its message. The drawer gives the reason of the selected one. */
export function EventRow(props: RowState & { row: WebhookRow | RequestRow }) {
	const { row, isSelected, isReachable } = props;
	const isWebhook = row.kind === "webhook";
	const line = isWebhook ? describeDelivery(row.delivery) : describeRequest(row.request);
	const at = isWebhook ? row.delivery.createdAt : row.request.at;
	const { arrow, name, outcome, tone, durationMs, reason } = line;
	const { open } = useConsole();
	return (
		<>
			{!isWebhook && row.isGhost && <Ghost requestId={row.request.requestId} />}
			<button
				type="button"
				class={`event event-${tone} ${tone === "muted" ? "muted" : ""}`}
				data-row={row.key}
				aria-current={isSelected ? "true" : undefined}
				tabIndex={isReachable ? 0 : -1}
				onClick={() => open(row.sequence)}
			>
				<span class="event-line">
					<span aria-hidden="true">{arrow}</span>
					<span class="visually-hidden">{isWebhook ? "Webhook" : "Request"}</span>
					{tone !== "muted" && <Icon name="failed" label={tone === "bad" ? "failed" : "attention"} />}
					{row.contact !== undefined && <bdi>{row.contact}</bdi>}
					<strong>{name}</strong>
					{!isWebhook && row.request.probe === true && <span class="badge">probe</span>}
					<span class="event-outcome">{outcome}</span>
					{durationMs !== undefined && (
						<span class={durationMs < SLOW_MS ? "" : "badge badge-warn"}>{formatDuration(durationMs)}</span>
					)}
					<time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
				</span>
				{reason !== undefined && !isSelected && !row.isRepeated && <span class="event-reason">{reason}</span>}
			</button>
		</>
	);
}

/** The texts of sends that were rejected, which are only in their details. */
const ghostTexts = new Map<string, string>();

function Ghost({ requestId }: { requestId: string }) {
	const { client } = useConsole();
	const [text, setText] = useState(ghostTexts.get(requestId));
	useEffect(() => {
		if (text !== undefined) return;
		client.request(requestId).then(
			({ body }) => {
				ghostTexts.set(requestId, asString(asObject(parseJson(body))["text"]) ?? "");
				setText(ghostTexts.get(requestId));
			},
			// Without it the row below says what was rejected.
			() => undefined,
		);
	}, [client, requestId, text]);
	return (
		<div class="bubble-row from-agent is-first">
			<div class="bubble ghost">
				<span class="visually-hidden">Not sent: </span>
				<span class="bubble-text" dir="auto">
					{text || "A message that wasn't sent"}
				</span>
			</div>
		</div>
	);
}
