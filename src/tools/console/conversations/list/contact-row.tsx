import type { ComponentChildren } from "preact";
import type { ConversationView } from "../../../control/contract.ts";
import { Cut } from "../controls.tsx";
import { linkTo, select } from "../hooks/use-selection.ts";
import { shortTime } from "../state/clock.ts";
import { summarizeMessage, titleOf } from "../state/conversations.ts";
import { StatusTick } from "../timeline/status-tick.tsx";

/** A contact in the list. A red mark counts what failed. */
export function ContactRow(props: {
	conversation: ConversationView;
	unseen: number;
	isSelected: boolean;
	isReachable: boolean;
	now: number;
}) {
	const { conversation, unseen } = props;
	const { lastMessage: last, failedCount } = conversation;
	return (
		<SelectLink
			timelineKey={conversation.key}
			isCurrent={props.isSelected}
			tabIndex={props.isReachable ? 0 : -1}
		>
			<span class="grow">
				<span class="beside">
					<Cut class="contact-title" text={titleOf(conversation)} />
					{last !== null && <span class="muted">{shortTime(last.timestamp_ms, props.now)}</span>}
				</span>
				<span class="beside muted">
					{last?.outbound && <StatusTick status={last.status} />}
					<Cut text={last === null ? "No messages" : summarizeMessage(last)} />
					{failedCount > 0 && <span class="badge badge-bad">{failedCount} failed</span>}
					{unseen > 0 && <span class="badge badge-new">{unseen} new</span>}
				</span>
				{conversation.behaviour !== undefined && <Cut class="hint" text={conversation.behaviour} />}
			</span>
		</SelectLink>
	);
}

/** A link that selects a timeline, or an entry in it; the browser opens it in new tabs and windows. */
export function SelectLink(props: {
	timelineKey: string;
	at?: number;
	isCurrent?: boolean;
	tabIndex?: number;
	children: ComponentChildren;
}) {
	const { timelineKey, at, isCurrent = false, tabIndex } = props;
	return (
		<a
			class="contact-row beside"
			href={linkTo(timelineKey, at)}
			// What was found is no row of the list of contacts.
			data-row={at === undefined ? timelineKey : undefined}
			aria-current={isCurrent ? "true" : undefined}
			tabIndex={tabIndex}
			onClick={(event) => {
				if (event.ctrlKey || event.metaKey || event.shiftKey) return;
				event.preventDefault();
				select(timelineKey, at);
			}}
		>
			{props.children}
		</a>
	);
}
