import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import type { RowRange } from "../../parts/virtual/row-layout.ts";
import { VirtualList } from "../../parts/virtual/virtual-list.tsx";
import { useGateway, useNow } from "../console-context.ts";
import { useRovingFocus } from "../hooks/use-roving-focus.ts";
import { ALL_ACTIVITY, select } from "../hooks/use-selection.ts";
import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import type { Timeline } from "../hooks/use-timeline.ts";
import { Icon } from "../icons.tsx";
import { FirstMinute } from "../list/first-minute.tsx";
import { titleOf } from "../state/conversations.ts";
import { firstSteps } from "../state/first-steps.ts";
import { isRowOf, type TimelineRow, timelineRows } from "../state/timeline-rows.ts";
import { WebhookUrlField } from "../webhook-url-field.tsx";
import { EventRow } from "./event-row.tsx";
import { MessageBubble } from "./message-bubble.tsx";

/** More entries are loaded when fewer rows than this are left above or below the rendered ones. */
const NEAR_ROWS = 10;

const ESTIMATED_ROW_PX = 44;

/** The entries as bubbles and rows. It scrolls to new ones if it was at the end, and loads older ones when scrolled up. */
export function TimelineList(props: {
	conversation: ConversationView | undefined;
	timeline: Timeline;
	at: number | undefined;
	persona: string;
	isOnlyFailed: boolean;
}) {
	const { conversation, timeline, at, persona, isOnlyFailed } = props;
	const { window, isLoaded, loading, problem, history } = timeline;
	const key = conversation?.key ?? ALL_ACTIVITY;
	const { conversations } = useGateway();
	// Once it is there, it stays until its steps are done or another timeline is opened.
	const wasEmpty = useRef(false);
	wasEmpty.current ||= isLoaded && conversation === undefined && conversations.size === 0;
	const isFirstMinute =
		wasEmpty.current && !isOnlyFailed && Object.values(firstSteps(window.items)).includes(false);
	// What it begins with stays at its top.
	const isAtTop = isFirstMinute || window.newer > 0;
	const { scroller, content, isAtEnd, toEnd, leaveEnd, onScroll } = useStickToEnd(!isAtTop);
	const rows = useRows(conversation, timeline);
	const entryRows = useMemo(() => rows.filter((row) => row.kind !== "day"), [rows]);
	const selected = entryRows.find((row) => isRowOf(row, at))?.key;
	const { focusedKey, onKeyDown, onFocusIn } = useRovingFocus({
		scroller,
		keys: useMemo(() => entryRows.map((row) => row.key), [entryRows]),
		startKey: entryRows.at(-1)?.key,
		selectedKey: selected,
		// While the drawer is open, it shows what is focused.
		onMove: (moved) => {
			const row = entryRows.find((known) => known.key === moved);
			if (at !== undefined && row !== undefined) select(key, row.sequence);
		},
	});
	const [isToEnd, setIsToEnd] = useState(false);
	const onRange = useCallback(
		({ first, end }: RowRange, length: number) => {
			if (length === 0 || problem !== null) return;
			if (first < NEAR_ROWS) history.current?.loadMore("older");
			if (end > length - NEAR_ROWS) history.current?.loadMore("newer");
		},
		[history, problem],
	);
	const toNewest = (): void => {
		if (window.newer > 0) history.current?.showNewest();
		setIsToEnd(true);
	};
	useEffect(() => {
		if (!isToEnd || window.newer > 0) return;
		setIsToEnd(false);
		toEnd();
	}, [isToEnd, window.newer, toEnd]);
	useLayoutEffect(() => {
		if (at !== undefined && !isInView(scroller, selected)) leaveEnd();
	}, [at, selected, scroller, leaveEnd]);
	const renderRow = useCallback(
		(row: TimelineRow) => {
			if (row.kind === "day") {
				return <p class="day hint">{row.label}</p>;
			}
			const state = {
				isSelected: row.key === selected,
				isReachable: row.key === focusedKey,
			};
			if (row.kind === "message") return <MessageBubble row={row} persona={persona} {...state} />;
			return <EventRow row={row} {...state} />;
		},
		[persona, selected, focusedKey],
	);
	const isEmpty = isLoaded && rows.length === 0;
	return (
		<div class="timeline-body">
			<section
				ref={scroller}
				class="timeline-scroll"
				aria-label={
					conversation === undefined ? "Entries of all contacts" : `Messages with ${titleOf(conversation)}`
				}
				onScroll={onScroll}
				onKeyDown={onKeyDown}
				onFocusIn={onFocusIn}
			>
				<div ref={content} class="timeline-content">
					{isFirstMinute && <FirstMinute entries={window.items} />}
					{isEmpty && !isFirstMinute && (
						<p class="day hint">{isOnlyFailed ? "Nothing failed." : "No messages yet."}</p>
					)}
					<VirtualList
						tag="ol"
						items={rows}
						keyOf={keyOfRow}
						isUncounted={isDay}
						itemsAround={{ before: window.older, after: window.newer }}
						estimate={ESTIMATED_ROW_PX}
						scroller={scroller}
						isFromEnd={!isFirstMinute}
						pinnedKey={focusedKey}
						targetKey={selected}
						renderRow={renderRow}
						onRange={onRange}
					/>
					{!isFirstMinute && <UrlQuestion timeline={timeline} />}
					{typeof conversation?.typingUntil === "number" && window.newer === 0 && (
						<TypingBubble until={conversation.typingUntil} />
					)}
				</div>
			</section>
			<div class="loading-note" role="status">
				{(loading === "older" || loading === "newer") && <span class="chip">Loading {loading} entries…</span>}
				{problem !== null && (
					<span class="chip bad">
						{problem}
						<button type="button" class="link" onClick={() => history.current?.retry()}>
							Try again
						</button>
					</span>
				)}
			</div>
			{(!isAtEnd || window.newer > 0) && (
				<button type="button" class="to-end" onClick={toNewest}>
					<Icon name="down" /> Newest
				</button>
			)}
		</div>
	);
}

/** Asked where webhooks wait, while there is no URL. */
function UrlQuestion({ timeline: { window } }: { timeline: Timeline }) {
	const { inboundWebhookUrl, statusWebhookUrl } = useGateway().destinations;
	const kept = window.items.flatMap((entry) =>
		entry.kind === "webhook" && entry.delivery.state === "kept" ? [entry.delivery] : [],
	);
	const event = kept.findLast(({ kind }) => kind !== "status") ?? kept.at(-1);
	if (event === undefined || inboundWebhookUrl !== null || statusWebhookUrl !== null) return null;
	return (
		<section class="card question stack">
			<h3>Where does your app listen?</h3>
			{event.diagnosis !== undefined && <p class="muted">{event.diagnosis.reason}</p>}
			<WebhookUrlField event={event} />
		</section>
	);
}

function useRows(conversation: ConversationView | undefined, { window }: Timeline): readonly TimelineRow[] {
	const { conversations, clock } = useGateway();
	// That of all shows only titles of conversations, which hardly ever change.
	const known = conversation === undefined ? conversations.size : conversation;
	// biome-ignore lint/correctness/useExhaustiveDependencies: see above
	return useMemo(() => {
		const context = {
			conversations,
			isOfAll: conversation === undefined,
			isWhole: window.newer === 0,
			now: clock.now,
		};
		return timelineRows(window.items, context);
	}, [known, window, clock.now]);
}

function keyOfRow({ key }: TimelineRow): string {
	return key;
}

function isDay({ kind }: TimelineRow): boolean {
	return kind === "day";
}

function isInView({ current: list }: RefObject<HTMLElement | null>, key: string | undefined): boolean {
	const row = list?.querySelector(`[data-row="${key}"]`)?.getBoundingClientRect();
	const view = list?.getBoundingClientRect();
	return row !== undefined && view !== undefined && row.top >= view.top && row.bottom <= view.bottom;
}

function TypingBubble({ until }: { until: number }) {
	if (useNow() >= until) return null;
	return (
		<div class="bubble-row from-agent is-first">
			<div class="bubble typing" role="img" aria-label="The agent is typing">
				•••
			</div>
		</div>
	);
}
