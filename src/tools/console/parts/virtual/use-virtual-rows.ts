import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { afterPress } from "../press.ts";
import { layOut, type RowLayout, type RowRange, rowsBetween, shiftBetween, topOf } from "./row-layout.ts";

/** How far beyond the visible area rows are rendered. */
const MARGIN_PX = 400;

/** How many rows are rendered before the height of the visible area is known. */
const FIRST_ROWS = 12;

/** How many heights are kept; those measured first are forgotten. */
const MAX_HEIGHTS = 5_000;

export interface VirtualRowsOptions<Item> {
	readonly items: readonly Item[];
	/** Unique, and stable for an item. */
	readonly keyOf: (item: Item) => string;
	/** The height of a row that was never rendered, in pixels. */
	readonly estimate: number;
	/** The element that scrolls; it may contain more than the list. */
	readonly scroller: RefObject<HTMLElement | null>;
	/** Whether the list begins at its end, and stays in place when rows are added above its first one. */
	readonly isFromEnd?: boolean;
	/** The key of a row that is rendered wherever it is, so that it can be focused. */
	readonly pinnedKey?: string | undefined;
	/** The key of a row to scroll to, once it is there. */
	readonly targetKey?: string | undefined;
	/** Called with the range of rendered rows in the frame after rows or their places have changed. */
	readonly onRange?: (range: RowRange, count: number) => void;
}

/** Decides which rows are rendered and where, and keeps what is visible in its place when rows change. */
export function useVirtualRows<Item>(options: VirtualRowsOptions<Item>, list: RefObject<HTMLElement | null>) {
	const { items, keyOf, estimate, scroller, isFromEnd = false, pinnedKey, targetKey, onRange } = options;
	const { heights, observe } = useRowHeights();
	const layout = useMemo(
		() => layOut(items.map(keyOf), heights, estimate),
		[items, keyOf, heights, estimate],
	);
	const [range, setRange] = useState<RowRange>(() =>
		isFromEnd
			? { first: Math.max(0, items.length - FIRST_ROWS), end: items.length }
			: { first: 0, end: FIRST_ROWS },
	);
	const current = useRef<RowLayout | undefined>(undefined);
	const reached = useRef<string | undefined>(undefined);
	const lastView = useRef<View | undefined>(undefined);
	const frame = useRef<number | undefined>(undefined);
	const notify = useRef(onRange);
	notify.current = onRange;

	const measure = useCallback(() => {
		frame.current = undefined;
		const view = viewOf(scroller.current, list.current);
		lastView.current = view;
		if (view === undefined || current.current === undefined) return;
		const next = rowsBetween(current.current, view.top - MARGIN_PX, view.bottom + MARGIN_PX);
		setRange((known) => (known.first === next.first && known.end === next.end ? known : next));
		notify.current?.(next, current.current.keys.length);
	}, [scroller, list]);
	// Measured at once, each list would make the browser lay out the page again, several times for a frame.
	const measureInFrame = useCallback(() => {
		frame.current ??= requestAnimationFrame(measure);
	}, [measure]);

	useLayoutEffect(() => {
		const element = scroller.current;
		const before = current.current;
		current.current = layout;
		if (element === null) return;
		const isFirst = before === undefined || before.keys.length === 0;
		if (isFirst && isFromEnd) element.scrollTop = element.scrollHeight;
		else if (!isFirst) {
			const shiftIn = (view: View | undefined): number => {
				const top = view?.top ?? 0;
				return isFromEnd || top > 0 ? shiftBetween(before, layout, Math.max(0, top)) : 0;
			};
			// The view is read again only if something moves.
			const shift = shiftIn(lastView.current) === 0 ? 0 : shiftIn(viewOf(element, list.current));
			if (shift !== 0) element.scrollTop += shift;
		}
		if (targetKey === undefined) reached.current = undefined;
		else if (targetKey !== reached.current) {
			const at = layout.keys.indexOf(targetKey);
			if (at !== -1) scrollToRow(element, list.current, layout, at);
			// The heights of rows near the target are estimates until they are rendered, so the place is only final afterwards.
			if (heights.has(targetKey)) reached.current = targetKey;
		}
		measureInFrame();
	}, [layout, scroller, list, isFromEnd, targetKey, heights, measureInFrame]);

	useEffect(() => {
		const element = scroller.current;
		if (element === null) return undefined;
		const observer = new ResizeObserver(measureInFrame);
		observer.observe(element);
		element.addEventListener("scroll", measureInFrame, { passive: true });
		return () => {
			observer.disconnect();
			element.removeEventListener("scroll", measureInFrame);
			if (frame.current !== undefined) cancelAnimationFrame(frame.current);
		};
	}, [scroller, measureInFrame]);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another listener has not heard of this range
	useEffect(measureInFrame, [onRange, measureInFrame]);

	return { layout, shown: indexesOf(range, layout, pinnedKey), observe };
}

function useRowHeights() {
	const [heights, setHeights] = useState<ReadonlyMap<string, number>>(new Map());
	const keys = useRef(new WeakMap<Element, string>()).current;
	const observer = useMemo(
		() =>
			new ResizeObserver((entries) => {
				const measured = entries.flatMap(({ target, borderBoxSize }) => {
					const key = keys.get(target);
					const height = borderBoxSize[0]?.blockSize ?? 0;
					// A hidden list has no heights.
					return key === undefined || height === 0 ? [] : [[key, height] as const];
				});
				afterPress(() => setHeights((known) => withHeights(known, measured)));
			}),
		[keys],
	);
	useEffect(() => () => observer.disconnect(), [observer]);
	const observe = useCallback(
		(row: HTMLElement, key: string) => {
			keys.set(row, key);
			observer.observe(row);
			return () => observer.unobserve(row);
		},
		[observer, keys],
	);
	return { heights, observe };
}

function withHeights(
	known: ReadonlyMap<string, number>,
	measured: readonly (readonly [key: string, height: number])[],
): ReadonlyMap<string, number> {
	const changed = measured.filter(([key, height]) => known.get(key) !== height);
	if (changed.length === 0) return known;
	const heights = new Map([...known, ...changed]);
	for (const key of heights.keys()) {
		if (heights.size <= MAX_HEIGHTS) break;
		heights.delete(key);
	}
	return heights;
}

interface View {
	readonly top: number;
	readonly bottom: number;
}

function viewOf(scroller: HTMLElement | null, list: HTMLElement | null): View | undefined {
	if (scroller === null || list === null) return undefined;
	const top = scroller.getBoundingClientRect().top - list.getBoundingClientRect().top;
	return { top, bottom: top + scroller.clientHeight };
}

function scrollToRow(scroller: HTMLElement, list: HTMLElement | null, { tops }: RowLayout, at: number): void {
	const view = viewOf(scroller, list);
	if (view === undefined) return;
	const [top, bottom] = [topOf(tops, at), topOf(tops, at + 1)];
	// What is in view stays where it is.
	if (top < view.top || bottom > view.bottom)
		scroller.scrollTop += (top + bottom - view.top - view.bottom) / 2;
}

function indexesOf({ first, end }: RowRange, { keys }: RowLayout, pinnedKey: string | undefined): number[] {
	const last = Math.min(end, keys.length);
	const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
	const pinned = pinnedKey === undefined ? -1 : keys.indexOf(pinnedKey);
	if (pinned === -1 || (pinned >= first && pinned < last)) return indexes;
	return pinned < first ? [pinned, ...indexes] : [...indexes, pinned];
}
