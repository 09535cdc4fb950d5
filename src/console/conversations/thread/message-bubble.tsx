import { readAttachment } from "../state/attachment-facts.ts";
import { summarize } from "../state/conversations.ts";
import type { ThreadItem } from "../state/thread-items.ts";
import { Attachment } from "./attachment.tsx";
import { MessageFooter } from "./message-footer.tsx";
import { ReactionMenu } from "./reaction-menu.tsx";
import { Tapbacks } from "./reactions.tsx";

/** A message: the agent's on the right, the contact's on the left. */
export function MessageBubble({
	item,
	persona,
}: {
	item: Extract<ThreadItem, { kind: "message" }>;
	/** The contact to react as. */
	persona: string;
}) {
	const { message, isFirst, isSenderNamed, isSms } = item;
	const { outbound, messageGuid, status } = message;
	const classes = [
		"bubble-row",
		outbound ? "from-agent" : "from-contact",
		isFirst && "is-first",
		isSms && "is-sms",
		status === "failed" && "is-failed",
	];
	return (
		<li class={classes.filter((name) => name !== false).join(" ")}>
			<span class={isSenderNamed ? "bubble-sender muted" : "visually-hidden"}>
				{outbound ? "Agent" : message.from}:{" "}
			</span>
			<div class="bubble-line">
				<div class="bubble">
					<BubbleContent item={item} />
					<Tapbacks tapbacks={message.tapbacks} />
				</div>
				{outbound && messageGuid !== null && <ReactionMenu from={persona} messageGuid={messageGuid} />}
			</div>
			<MessageFooter item={item} />
		</li>
	);
}

function BubbleContent({ item }: { item: Extract<ThreadItem, { kind: "message" }> }) {
	const { message, repliesTo } = item;
	return (
		<>
			{repliesTo !== undefined && (
				<span class="quote">
					<span class="visually-hidden">In reply to: </span>
					{summarize(repliesTo)}
				</span>
			)}
			{message.attachments.map((attachment, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a message keep their places
				<Attachment key={at} facts={readAttachment(attachment)} />
			))}
			{message.text !== "" && <p class="bubble-text">{message.text}</p>}
		</>
	);
}
