import { useEffect, useRef, useState } from "preact/hooks";

/** How far beyond what is in view something counts as near. */
const MARGIN = "600px";

/** Tells when an element first comes near what is in view, so that nothing is loaded for what nobody sees. */
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
			// The margin counts around the root alone, so the root has to be what scrolls.
			{ root: element.closest(scrollerSelector), rootMargin: MARGIN },
		);
		observer.observe(element);
		return () => observer.disconnect();
	}, [scrollerSelector]);
	return { target, isNear };
}
