import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { keepSame } from "../../parts/virtual/keep-same.ts";
import type { RowRange } from "../../parts/virtual/row-layout.ts";
import { VirtualList } from "../../parts/virtual/virtual-list.tsx";
import { select } from "../hooks/use-selection.ts";
import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import type { Thread } from "../hooks/use-thread.ts";
import { Icon } from "../icons.tsx";
import type { GatewayClock } from "../state/clock.ts";
import { titleOf } from "../state/conversations.ts";
import { type ThreadItem, threadItems } from "../state/thread-items.ts";
import { LoadingNote } from "./loading-note.tsx";
import { MessageBubble } from "./message-bubble.tsx";
import { TypingBubble } from "./typing-bubble.tsx";

/** More messages are loaded when fewer rows than this are left above or below the rendered ones. */
const NEAR_ROWS = 10;

const ESTIMATED_ROW_PX = 72;

/** The thread as bubbles. It scrolls to new messages if it was at the end, and loads older ones when scrolled up. */
export function MessageList(props: {
	conversation: ConversationView;
	thread: Thread;
	/** The message to show, from the address. */
	at: number | undefined;
	clock: GatewayClock;
	persona: string;
}) {
	const { conversation, thread, at, clock, persona } = props;
	const { window, isLoaded, loading, problem, history } = thread;
	const { scroller, content, isAtEnd, toEnd, leaveEnd, onScroll } = useStickToEnd(window.newer === 0);
	const items = useThreadItems(conversation, thread, clock);
	const [isToEnd, setIsToEnd] = useState(false);
	const onRange = useCallback(
		({ first, end }: RowRange, count: number) => {
			if (count === 0 || problem !== null) return;
			if (first < NEAR_ROWS) history.current?.loadOlder();
			if (end > count - NEAR_ROWS) history.current?.loadNewer();
		},
		[history, problem],
	);
	const toNewest = (): void => {
		if (window.newer > 0) history.current?.showNewest();
		if (at !== undefined) select(conversation.key);
		setIsToEnd(true);
	};
	useEffect(() => {
		if (!isToEnd || window.newer > 0) return;
		setIsToEnd(false);
		toEnd();
	}, [isToEnd, window.newer, toEnd]);
	useLayoutEffect(() => {
		if (at !== undefined) leaveEnd();
	}, [at, leaveEnd]);
	const target = items.find((item) => item.kind === "message" && item.message.sequence === at);
	const renderItem = useCallback(
		(item: ThreadItem) =>
			item.kind === "day" ? (
				<div class="day">
					<span>{item.label}</span>
				</div>
			) : (
				<MessageBubble item={item} persona={persona} isTarget={item.message.sequence === at} />
			),
		[persona, at],
	);
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
					{isLoaded && items.length === 0 && <p class="muted thread-note">No messages yet.</p>}
					<VirtualList
						tag="ol"
						items={items}
						keyOf={keyOfItem}
						isUncounted={isDay}
						itemsAround={{ before: window.older, after: window.newer }}
						estimate={ESTIMATED_ROW_PX}
						scroller={scroller}
						isFromEnd
						targetKey={target === undefined ? undefined : keyOfItem(target)}
						renderRow={renderItem}
						onRange={onRange}
					/>
					{conversation.typingUntil !== null && window.newer === 0 && (
						<TypingBubble until={conversation.typingUntil} clock={clock} />
					)}
				</div>
			</section>
			<LoadingNote
				what={loading === "newer" ? "newer messages" : "older messages"}
				isLoading={loading === "older" || loading === "newer"}
				problem={problem}
				onRetry={() => history.current?.retry()}
			/>
			{(!isAtEnd || window.newer > 0) && (
				<button type="button" class="to-end" onClick={toNewest}>
					<Icon name="down" /> Newest
				</button>
			)}
		</div>
	);
}

/** The items of a thread. An unchanged item stays the same object, so it is not rendered again. */
function useThreadItems(
	conversation: ConversationView,
	{ window }: Thread,
	{ now }: GatewayClock,
): readonly ThreadItem[] {
	const before = useRef<readonly ThreadItem[]>([]);
	return useMemo(() => {
		const last = window.items.at(-1)?.sequence ?? 0;
		// If the receipt is for a message beyond the window, none in the window is marked as the last one read.
		const isReadLater = window.newer > 0 && (conversation.readUpTo?.sequence ?? 0) > last;
		const shown = isReadLater ? { ...conversation, readUpTo: null } : conversation;
		before.current = keepSame(before.current, threadItems(shown, window.items, now), keyOfItem);
		return before.current;
	}, [conversation, window, now]);
}

function keyOfItem(item: ThreadItem): string {
	return item.kind === "day" ? `day ${item.at}` : item.message.messageId;
}

function isDay({ kind }: ThreadItem): boolean {
	return kind === "day";
}
