import type { MessageView } from "../../../control/contract.ts";
import { useMessageSearch } from "../hooks/use-message-search.ts";
import { linkTo, select } from "../hooks/use-selection.ts";
import type { GatewayClock } from "../state/clock.ts";
import { type ConversationSearch, summarize } from "../state/conversations.ts";
import { count } from "../state/count.ts";
import { StatusTick } from "../thread/status-tick.tsx";
import { shortTime } from "./short-time.ts";

/** The messages that a search finds, the newest first; each opens its conversation there. */
export function FoundMessageList({ search, clock }: { search: ConversationSearch; clock: GatewayClock }) {
	const { page, problem } = useMessageSearch({ search: search.text, failed: search.isOnlyFailed });
	const total = page === null ? 0 : page.items.length + page.older;
	return (
		<section aria-label="Messages found">
			<p class="muted list-heading" role="status">
				{problem ?? describeFound(page === null ? undefined : total, page?.items.length ?? 0)}
			</p>
			<ul class="found-messages">
				{page?.items.toReversed().map((message) => (
					<li key={message.messageId}>
						<FoundMessage message={message} now={clock.now} />
					</li>
				))}
			</ul>
		</section>
	);
}

function FoundMessage({ message, now }: { message: MessageView; now: number }) {
	const { conversationKey, sequence, outbound, status } = message;
	return (
		<a
			class="conversation-row"
			href={linkTo(conversationKey, sequence)}
			onClick={(event) => {
				// The browser opens new tabs and windows.
				if (event.ctrlKey || event.metaKey || event.shiftKey) return;
				event.preventDefault();
				select(conversationKey, sequence);
			}}
		>
			<span class="conversation-text">
				<span class="conversation-title">
					<strong>{conversationKey}</strong>
					<span class="muted conversation-time">{shortTime(message.timestamp_ms, now)}</span>
				</span>
				<span class="muted conversation-last">
					{outbound && <StatusTick status={status} />}
					<span>{summarize(message)}</span>
				</span>
			</span>
		</a>
	);
}

function describeFound(total: number | undefined, shown: number): string {
	if (total === undefined) return "Searching messages…";
	if (total === 0) return "No messages";
	return total === shown ? count(total, "message") : `${count(total, "message")}, the newest ${shown}:`;
}
