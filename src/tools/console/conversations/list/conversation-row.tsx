import type { ConversationView } from "../../../control/contract.ts";
import { Avatar } from "../controls.tsx";
import { linkTo, select } from "../hooks/use-selection.ts";
import { summarize, titleOf } from "../state/conversations.ts";
import { StatusTick } from "../thread/status-tick.tsx";
import { shortTime } from "./short-time.ts";

/** A conversation in the list. */
export function ConversationRow(props: {
	conversation: ConversationView;
	unseen: number;
	isSelected: boolean;
	isReachable: boolean;
	now: number;
}) {
	const { conversation, unseen } = props;
	const { lastMessage: last, failedCount } = conversation;
	return (
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
					<strong dir="auto">{titleOf(conversation)}</strong>
					{last !== null && (
						<span class="muted conversation-time">{shortTime(last.timestamp_ms, props.now)}</span>
					)}
				</span>
				<span class="muted conversation-last">
					{last?.outbound && <StatusTick status={last.status} />}
					<span dir="auto">{last === null ? "No messages" : summarize(last)}</span>
					{failedCount > 0 && <span class="badge bad">{failedCount} failed</span>}
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
	);
}
