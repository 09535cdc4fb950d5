import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeError } from "../state/conversations.ts";
import type { ThreadItem } from "../state/thread-items.ts";
import { StatusTick, statusWords } from "./status-tick.tsx";

/** The time, effect and status of a message. */
export function MessageFooter({ item }: { item: Extract<ThreadItem, { kind: "message" }> }) {
	const { message, isSms, isReadByAgent } = item;
	const { outbound, status, timestamp_ms, effect } = message;
	const error = describeError(message.error);
	return (
		<div class={`bubble-footer ${status === "failed" ? "bad" : "muted"}`}>
			<time dateTime={new Date(timestamp_ms).toISOString()}>
				{formatTime(timestamp_ms, { withSeconds: false })}
			</time>
			{effect !== undefined && <span>with {effect}</span>}
			{isSms && <span class="badge">SMS</span>}
			{outbound && (
				<>
					<span aria-hidden="true">{statusWords(status)}</span>
					<StatusTick status={status} />
				</>
			)}
			{isReadByAgent && (
				<>
					<span>Read by the agent</span>
					<Icon name="read" class="tick tick-read" />
				</>
			)}
			{error !== null && (
				<span class="bubble-error" dir="auto">
					{error}
				</span>
			)}
		</div>
	);
}
