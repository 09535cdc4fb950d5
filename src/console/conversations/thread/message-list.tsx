import type { ConversationView, MessageView } from "../../../control/contract.ts";
import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import { Icon } from "../icons.tsx";
import type { GatewayClock } from "../state/clock.ts";
import { titleOf } from "../state/conversations.ts";
import { describeOlderMessages } from "../state/older.ts";
import { threadItems } from "../state/thread-items.ts";
import { MessageBubble } from "./message-bubble.tsx";
import { TypingBubble } from "./typing-bubble.tsx";

/** The thread as bubbles. It scrolls to new messages if it was at the end. */
export function MessageList(props: {
	conversation: ConversationView;
	messages: readonly MessageView[];
	olderCount: number;
	clock: GatewayClock;
	persona: string;
}) {
	const { conversation, messages, olderCount, clock, persona } = props;
	const note = describeOlderMessages(messages.length, olderCount) ?? noteOfEmpty(messages);
	const { scroller, content, isAtEnd, toEnd, onScroll } = useStickToEnd();
	return (
		<div class="thread-body">
			<section
				ref={scroller}
				class="thread-scroll"
				aria-label={`Messages with ${titleOf(conversation)}`}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
				tabIndex={0}
				onScroll={onScroll}
			>
				<div ref={content}>
					<ol class="thread-items">
						{note !== undefined && <li class="muted thread-note">{note}</li>}
						{threadItems(conversation, messages, clock.now).map((item) =>
							item.kind === "day" ? (
								<li key={`day ${item.at}`} class="day">
									<span>{item.label}</span>
								</li>
							) : (
								<MessageBubble key={item.message.messageId} item={item} persona={persona} />
							),
						)}
					</ol>
					{conversation.typingUntil !== null && (
						<TypingBubble until={conversation.typingUntil} clock={clock} />
					)}
				</div>
			</section>
			{!isAtEnd && (
				<button type="button" class="to-end" onClick={toEnd}>
					<Icon name="down" /> Newest
				</button>
			)}
		</div>
	);
}

function noteOfEmpty({ length }: readonly MessageView[]): string | undefined {
	return length === 0 ? "No messages yet." : undefined;
}
