import { useConsole } from "../console-context.ts";
import { Icon } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeError, summarizeMessage } from "../state/conversations.ts";
import type { MessageRow } from "../state/timeline-rows.ts";
import { Attachment, readAttachment } from "./attachment.tsx";
import type { RowState } from "./event-row.tsx";
import { ReactionMenu, Tapbacks } from "./reactions.tsx";
import { StatusTick, statusWords } from "./status-tick.tsx";

/** A message: the agent's on the right, the contact's on the left. Its footer opens the drawer. */
export function MessageBubble(
	props: RowState & {
		row: MessageRow;
		persona: string;
	},
) {
	const { row, persona, isSelected, isReachable } = props;
	const { open } = useConsole();
	const { message, isFirst, isSms, sender, contact } = row;
	const { outbound, messageGuid, status } = message;
	const classes = [
		"bubble-row",
		outbound && "from-agent",
		isFirst && "is-first",
		isSms && "is-sms",
		status === "failed" && "is-failed",
		isSelected && "is-selected",
	];
	const label = contact === undefined ? sender : `${outbound ? "to " : ""}${contact}`;
	return (
		<div class={classes.filter((name) => name !== false).join(" ")}>
			<span class={label === undefined ? "visually-hidden" : "bubble-sender muted"} dir="auto">
				{label ?? (outbound ? "Agent" : message.from)}
				{label === undefined && ": "}
			</span>
			<div class="bubble-line beside">
				{/* biome-ignore lint/a11y/useKeyWithClickEvents: the footer does the same for the keyboard */}
				{/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
				<div
					class={message.tapbacks.length > 0 ? "bubble has-tapbacks" : "bubble"}
					onClick={({ target }) => {
						const isControl = target instanceof Element && target.closest("a, button, audio, video") !== null;
						const isTextSelected = getSelection()?.isCollapsed === false;
						if (!isControl && !isTextSelected) open(row.sequence);
					}}
				>
					<BubbleContent row={row} isReachable={isReachable} />
					<Tapbacks tapbacks={message.tapbacks} />
				</div>
				{outbound && messageGuid !== null && contact === undefined && (
					<ReactionMenu
						from={persona}
						messageGuid={messageGuid}
						tapbacks={message.tapbacks}
						isReachable={isReachable}
					/>
				)}
			</div>
			<Footer {...props} />
		</div>
	);
}

function BubbleContent({ row, isReachable }: { row: MessageRow; isReachable: boolean }) {
	const { message, repliesTo } = row;
	return (
		<>
			{repliesTo !== undefined && (
				<span class="quote">
					<span class="visually-hidden">In reply to: </span>
					<bdi>{summarizeMessage(repliesTo)}</bdi>
				</span>
			)}
			{message.attachments.map((attachment, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a message keep their places
				<Attachment key={at} facts={readAttachment(attachment)} tabIndex={isReachable ? 0 : -1} />
			))}
			{message.text !== "" && (
				<p class="bubble-text" dir="auto">
					{message.text}
				</p>
			)}
		</>
	);
}

function Footer({ row, isSelected, isReachable }: RowState & { row: MessageRow }) {
	const { open } = useConsole();
	const { message, isSms, isReadByAgent, statuses } = row;
	const { outbound, status, timestamp_ms, effect } = message;
	const error = describeError(message.error);
	return (
		<button
			type="button"
			class={`bubble-footer ${status === "failed" ? "bad" : "muted"}`}
			data-row={row.key}
			aria-current={isSelected ? "true" : undefined}
			tabIndex={isReachable ? 0 : -1}
			onClick={() => open(row.sequence)}
		>
			<span class="visually-hidden">Details of the message: </span>
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
			{statuses !== undefined && <span>→ {statuses}</span>}
			{isReadByAgent && (
				<>
					<span>Read by the agent</span>
					<Icon name="read" class="tick-read" />
				</>
			)}
			{error !== null && (
				<span class="bubble-error" dir="auto">
					{error}
				</span>
			)}
		</button>
	);
}
