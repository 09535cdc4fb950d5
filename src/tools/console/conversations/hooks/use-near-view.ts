import { useEffect, useRef, useState } from "preact/hooks";

/** The distance from the visible area that counts as near. */
const MARGIN = "600px";

/** Reports when an element first comes near the visible area, for lazy loading. */
export function useNearView<Target extends Element>(scrollerSelector: string) {
	const target = useRef<Target>(null);
	const [isNear, setIsNear] = useState(false);
	useEffect(() => {
		const element = target.current;
		if (element === null) return undefined;
		const observer = new IntersectionObserver(
			(entries) => {
				if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
				setIsNear(true);
				observer.disconnect();
			},
			// The margin only applies to the root, so the root must be the scrolling element.
			{ root: element.closest(scrollerSelector), rootMargin: MARGIN },
		);
		observer.observe(element);
		return () => observer.disconnect();
	}, [scrollerSelector]);
	return { target, isNear };
}
