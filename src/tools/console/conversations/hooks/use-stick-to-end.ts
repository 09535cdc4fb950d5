import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { afterPress } from "../../parts/press.ts";

/** A list that is scrolled down to within this distance of its end counts as scrolled to the end. */
const SLACK_PX = 48;

/**
 * Keeps a growing list scrolled to its end, if it was at the end.
 * @param isWhole - whether the newest items are loaded; otherwise its end is not that of the list, and it does not stick.
 */
export function useStickToEnd(isWhole: boolean) {
	const scroller = useRef<HTMLElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const sizes = useRef("");
	const lastTop = useRef(0);
	const [isAtEnd, setIsAtEnd] = useState(true);
	const isAtEndNow = useRef(true);
	if (!isWhole) isAtEndNow.current = false;
	const toEnd = useCallback(() => {
		const element = scroller.current;
		if (element === null) return;
		element.scrollTop = element.scrollHeight;
		lastTop.current = element.scrollTop;
	}, []);
	const leaveEnd = useCallback(() => {
		isAtEndNow.current = false;
		setIsAtEnd(false);
	}, []);
	const onScroll = useCallback(() => {
		const element = scroller.current;
		if (element === null) return;
		const { scrollTop, scrollHeight, clientHeight } = element;
		// A smooth scroll begins with a few pixels.
		const isUp = scrollTop < lastTop.current;
		lastTop.current = scrollTop;
		// The browser also scrolls when sizes change; only the user's scrolling counts.
		if (sizesOf(element) !== sizes.current) return;
		isAtEndNow.current = !isUp && scrollHeight - scrollTop - clientHeight <= SLACK_PX;
		setIsAtEnd(isAtEndNow.current);
	}, []);
	useEffect(() => {
		const [outer, inner] = [scroller.current, content.current];
		if (outer === null || inner === null) return undefined;
		// The list grows with messages, and shrinks when the composer grows.
		const follow = (): void => {
			sizes.current = sizesOf(outer);
			if (isAtEndNow.current) toEnd();
		};
		const observer = new ResizeObserver(() => afterPress(follow));
		observer.observe(outer);
		observer.observe(inner);
		return () => observer.disconnect();
	}, [toEnd]);
	return { scroller, content, isAtEnd, toEnd, leaveEnd, onScroll };
}

function sizesOf({ clientHeight, scrollHeight }: Element): string {
	return `${clientHeight} ${scrollHeight}`;
}
