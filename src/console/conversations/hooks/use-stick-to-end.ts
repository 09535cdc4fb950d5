import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** This near to its end, a list counts as read to the end. */
const SLACK_PX = 48;

/** Keeps a scrolled list at its end while it grows, but only for someone who was there. */
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
		// The browser scrolls by itself when sizes change; that is nobody's wish to leave the end.
		if (element === null || sizesOf(element) !== sizes.current) return;
		const below = element.scrollHeight - element.scrollTop - element.clientHeight;
		isAtEndNow.current = below <= SLACK_PX;
		setIsAtEnd(isAtEndNow.current);
	}, []);
	useEffect(() => {
		const [outer, inner] = [scroller.current, content.current];
		if (outer === null || inner === null) return undefined;
		// Both change: the messages, and the room for them when the composer grows.
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
