import { useEffect, useRef } from "preact/hooks";
import type { ConversationView, MessageView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Avatar, IconButton } from "../controls.tsx";
import { select } from "../hooks/use-selection.ts";
import { Icon } from "../icons.tsx";
import { describeConversation, titleOf } from "../state/conversations.ts";
import { CopyAsTest } from "./copy-as-test.tsx";

/** The members of the conversation, and its actions. */
export function ThreadHeader(props: {
	conversation: ConversationView;
	messages: readonly MessageView[];
	persona: string;
}) {
	const { conversation, messages, persona } = props;
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// On a small screen the list is hidden now, so the focus is lost.
		const isListGone = document.querySelector(".list-pane")?.checkVisibility() === false;
		if (isListGone && document.activeElement === document.body) title.current?.focus();
	}, []);
	return (
		<header class="pane-header thread-header">
			<IconButton icon="back" label="All contacts" class="back-button" onClick={() => select(null)} />
			<Avatar of={conversation} />
			<div class="thread-names">
				<h2 id="thread-title" ref={title} tabIndex={-1} dir="auto">
					{titleOf(conversation)}
				</h2>
				<p class="muted">{describeConversation(conversation)}</p>
			</div>
			<div class="thread-actions">
				<MarkAsRead messages={messages} persona={persona} />
				<CopyAsTest conversationKey={conversation.key} />
			</div>
		</header>
	);
}

/** Marks messages as read for contacts that read late or never. */
function MarkAsRead({ messages, persona }: { messages: readonly MessageView[]; persona: string }) {
	const { act } = useConsole();
	const isUnread = messages.some(
		({ outbound, status }) => outbound && (status === "sent" || status === "delivered"),
	);
	return (
		<button
			type="button"
			disabled={!isUnread}
			onClick={() => void act({ type: "read", from: persona }, `Marked as read by ${persona}.`)}
		>
			<Icon name="read" /> <span>Mark as read</span>
		</button>
	);
}
