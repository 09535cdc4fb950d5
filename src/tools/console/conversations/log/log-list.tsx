import type { ComponentChild } from "preact";
import { useCallback, useMemo, useRef } from "preact/hooks";
import type { RowRange } from "../../parts/virtual/row-layout.ts";
import { VirtualList } from "../../parts/virtual/virtual-list.tsx";
import type { LoadedList } from "../hooks/use-history.ts";
import { count } from "../state/count.ts";
import type { Sequenced } from "../state/list-window.ts";
import { LoadingNote } from "../thread/loading-note.tsx";

/** More items are loaded when fewer rows than this are left above or below the rendered ones. */
const NEAR_ROWS = 10;

/** A list of the gateway, the newest first; older items are loaded when scrolled down. */
export function LogList<Item extends Sequenced>(props: {
	/** Its items, such as `webhook`. */
	of: string;
	/** Its accessible name. */
	label: string;
	list: LoadedList<Item>;
	/** Shown when there are none. */
	emptyNote: string;
	keyOf: (item: Item) => string;
	/** The height of a row before it is measured, in pixels. */
	estimate: number;
	/** Renders a row; it must be the same function as long as its rows would be the same. */
	renderRow: (item: Item) => ComponentChild;
}) {
	const { of, label, list, emptyNote, keyOf, estimate, renderRow } = props;
	const { window, isLoaded, loading, problem, history } = list;
	const scroller = useRef<HTMLElement | null>(null);
	const newestFirst = useMemo(() => window.items.toReversed(), [window.items]);
	const total = window.older + window.items.length + window.newer;
	const onRange = useCallback(
		({ first, end }: RowRange, length: number) => {
			if (length === 0 || problem !== null) return;
			if (end > length - NEAR_ROWS) history.current?.loadOlder();
			if (first < NEAR_ROWS) history.current?.loadNewer();
		},
		[history, problem],
	);
	const setScroller = useCallback((element: HTMLElement | null) => {
		scroller.current = element?.closest<HTMLElement>(".tool-panel") ?? null;
	}, []);
	return (
		<div ref={setScroller} class="log">
			{total === 0 && (
				<p class="muted empty" role="status">
					{isLoaded ? emptyNote : "Loading…"}
				</p>
			)}
			{total > 0 && <p class="muted log-count">{count(total, of)}</p>}
			<VirtualList
				tag="ul"
				label={label}
				items={newestFirst}
				keyOf={keyOf}
				itemsAround={{ before: window.newer, after: window.older }}
				estimate={estimate}
				scroller={scroller}
				renderRow={renderRow}
				onRange={onRange}
			/>
			<LoadingNote
				what={`older ${of}s`}
				isLoading={loading === "older"}
				problem={problem}
				onRetry={() => history.current?.retry()}
			/>
		</div>
	);
}
