import type { ConversationView, MessageView } from "../../../control/contract.ts";
import { Avatar } from "../controls.tsx";
import { linkTo, select } from "../hooks/use-selection.ts";
import { formatTime, type GatewayClock } from "../state/clock.ts";
import { summarize, titleOf } from "../state/conversations.ts";
import { count } from "../state/older.ts";
import { nameDay } from "../state/thread-items.ts";
import { StatusTick } from "../thread/status-tick.tsx";

/** A conversation in the list. */
export function ConversationRow(props: {
	conversation: ConversationView;
	last: MessageView | undefined;
	olderCount: number;
	unseen: number;
	isSelected: boolean;
	isReachable: boolean;
	clock: GatewayClock;
}) {
	const { conversation, last, unseen } = props;
	return (
		<li>
			<a
				class="conversation-row"
				href={linkTo(conversation.key)}
				aria-current={props.isSelected ? "true" : undefined}
				tabIndex={props.isReachable ? 0 : -1}
				onClick={(event) => {
					// The browser opens new tabs and windows.
					if (event.ctrlKey || event.metaKey || event.shiftKey) return;
					event.preventDefault();
					select(conversation.key);
				}}
			>
				<Avatar of={conversation} />
				<span class="conversation-text">
					<span class="conversation-title">
						<strong>{titleOf(conversation)}</strong>
						{last !== undefined && (
							<span class="muted conversation-time">{shortTime(last.timestamp_ms, props.clock.now)}</span>
						)}
					</span>
					<span class="muted conversation-last">
						{last?.outbound && <StatusTick status={last.status} />}
						<span>{last === undefined ? describeNone(props.olderCount) : summarize(last)}</span>
						{unseen > 0 && (
							<span class="unseen">
								{unseen}
								<span class="visually-hidden"> new</span>
							</span>
						)}
					</span>
					{conversation.behaviour !== undefined && (
						<span class="muted conversation-behaviour">{conversation.behaviour}</span>
					)}
				</span>
			</a>
		</li>
	);
}

function describeNone(olderCount: number): string {
	return olderCount === 0 ? "No messages" : count(olderCount, "older message");
}

function shortTime(unixMs: number, now: number): string {
	const day = nameDay(unixMs, now);
	return day === "Today" ? formatTime(unixMs, { withSeconds: false }) : day;
}
