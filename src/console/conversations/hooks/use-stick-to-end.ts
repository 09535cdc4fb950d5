import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Within this distance of its end, a list counts as scrolled to the end. */
const SLACK_PX = 48;

/** Keeps a growing list scrolled to its end, if it was at the end. */
export function useStickToEnd() {
	const scroller = useRef<HTMLElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const sizes = useRef("");
	const [isAtEnd, setIsAtEnd] = useState(true);
	const isAtEndNow = useRef(true);
	const toEnd = useCallback(() => {
		const element = scroller.current;
		if (element !== null) element.scrollTop = element.scrollHeight;
	}, []);
	const onScroll = useCallback(() => {
		const element = scroller.current;
		// The browser also scrolls when sizes change; only the user's scrolling counts.
		if (element === null || sizesOf(element) !== sizes.current) return;
		const below = element.scrollHeight - element.scrollTop - element.clientHeight;
		isAtEndNow.current = below <= SLACK_PX;
		setIsAtEnd(isAtEndNow.current);
	}, []);
	useEffect(() => {
		const [outer, inner] = [scroller.current, content.current];
		if (outer === null || inner === null) return undefined;
		// The list grows with messages, and shrinks when the composer grows.
		const observer = new ResizeObserver(() => {
			sizes.current = sizesOf(outer);
			if (isAtEndNow.current) toEnd();
		});
		observer.observe(outer);
		observer.observe(inner);
		return () => observer.disconnect();
	}, [toEnd]);
	return { scroller, content, isAtEnd, toEnd, onScroll };
}

function sizesOf({ clientHeight, scrollHeight }: Element): string {
	return `${clientHeight} ${scrollHeight}`;
}
