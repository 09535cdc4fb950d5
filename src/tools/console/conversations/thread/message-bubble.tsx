import { takeFocus } from "../focus-target.ts";
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
	isTarget,
}: {
	item: Extract<ThreadItem, { kind: "message" }>;
	/** The contact to react as. */
	persona: string;
	/** Whether it is the message that the address names. */
	isTarget: boolean;
}) {
	const { message, isFirst, isSenderNamed, isSms } = item;
	const { outbound, messageGuid, status } = message;
	const classes = [
		"bubble-row",
		outbound ? "from-agent" : "from-contact",
		isFirst && "is-first",
		isSms && "is-sms",
		status === "failed" && "is-failed",
		isTarget && "is-target",
	];
	return (
		<div
			ref={isTarget ? takeFocus : null}
			class={classes.filter((name) => name !== false).join(" ")}
			tabIndex={isTarget ? -1 : undefined}
		>
			<span class={isSenderNamed ? "bubble-sender muted" : "visually-hidden"}>
				{outbound ? "Agent" : message.from}:{" "}
			</span>
			<div class="bubble-line">
				<div class={message.tapbacks.length > 0 ? "bubble has-tapbacks" : "bubble"}>
					<BubbleContent item={item} />
					<Tapbacks tapbacks={message.tapbacks} />
				</div>
				{outbound && messageGuid !== null && <ReactionMenu from={persona} messageGuid={messageGuid} />}
			</div>
			<MessageFooter item={item} />
		</div>
	);
}

function BubbleContent({ item }: { item: Extract<ThreadItem, { kind: "message" }> }) {
	const { message, repliesTo } = item;
	return (
		<>
			{repliesTo !== undefined && (
				<span class="quote">
					<span class="visually-hidden">In reply to: </span>
					<bdi>{summarize(repliesTo)}</bdi>
				</span>
			)}
			{message.attachments.map((attachment, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the attachments of a message keep their places
				<Attachment key={at} facts={readAttachment(attachment)} />
			))}
			{message.text !== "" && (
				<p class="bubble-text" dir="auto">
					{message.text}
				</p>
			)}
		</>
	);
}
