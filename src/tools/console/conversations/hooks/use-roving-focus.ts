import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const PAGE_ROWS = 8;

export interface RovingFocusOptions {
	readonly scroller: RefObject<HTMLElement | null>;
	/** The keys of the rows; the element that gets the focus of a row has its key in `data-row`. */
	readonly keys: readonly string[];
	/** The row that is reached first, unless the focus has moved. */
	readonly startKey: string | undefined;
	/** The row that is selected; when it no longer is, the focus returns to it. */
	readonly selectedKey: string | undefined;
	readonly onMove?: (key: string) => void;
}

/** Moves the focus between rows with the keyboard, so that a list is one tab stop. */
export function useRovingFocus({ scroller, keys, startKey, selectedKey, onMove }: RovingFocusOptions) {
	// An object, so that the focus moves once for each move, and again for one to the same row.
	const [move, setMove] = useState<{ readonly key: string; readonly isToFocus: boolean }>();
	const previous = useRef(selectedKey);
	const focusedKey = [move?.key, selectedKey, startKey].find(
		(key) => key !== undefined && keys.includes(key),
	);
	useEffect(() => {
		const left = selectedKey === undefined ? previous.current : undefined;
		previous.current = selectedKey;
		setMove(left === undefined ? undefined : { key: left, isToFocus: true });
	}, [selectedKey]);
	// With the render, because an effect after the frame could come after the next key.
	useLayoutEffect(() => {
		const row = move?.isToFocus === true ? findRow(scroller.current, move.key) : undefined;
		row?.focus({ preventScroll: true });
		// The whole bubble, not only its footer.
		(row?.closest("li") ?? row)?.scrollIntoView({ block: "nearest" });
	}, [move, scroller]);
	const onKeyDown = (event: KeyboardEvent): void => {
		const from = keyAt(event.target);
		const at = from === undefined ? -1 : keys.indexOf(from);
		const targets: Readonly<Record<string, number>> = {
			ArrowDown: at + 1,
			ArrowUp: at - 1,
			PageDown: at + PAGE_ROWS,
			PageUp: at - PAGE_ROWS,
			Home: 0,
			End: keys.length - 1,
		};
		const target = targets[event.key];
		if (at === -1 || target === undefined) return;
		event.preventDefault();
		const key = keys[Math.min(Math.max(0, target), keys.length - 1)];
		if (key === undefined) return;
		setMove({ key, isToFocus: true });
		onMove?.(key);
	};
	const onFocusIn = useCallback(({ target }: FocusEvent): void => {
		const key = keyAt(target);
		if (key !== undefined) setMove((before) => (before?.key === key ? before : { key, isToFocus: false }));
	}, []);
	return { focusedKey, onKeyDown, onFocusIn };
}

function keyAt(target: EventTarget | null): string | undefined {
	const row = target instanceof Element ? target.closest("[data-row]") : null;
	return row?.getAttribute("data-row") ?? undefined;
}

function findRow(list: HTMLElement | null, key: string): HTMLElement | null | undefined {
	return list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
}
