import { useLayoutEffect, useState } from "preact/hooks";
import { isRejected } from "../state/request-facts.ts";
import type { Follower } from "./use-live-page.ts";

/** Counts the requests that are rejected while the log is not in view. */
export function useRejectedCount(follow: (follower: Follower) => () => void, isInView: boolean): number {
	const [count, setCount] = useState(0);
	useLayoutEffect(() => {
		setCount(0);
		if (isInView) return undefined;
		return follow((changes) => {
			if (changes === "anew") return setCount(0);
			const rejected = changes.filter((change) => change.type === "request" && isRejected(change.request));
			setCount((before) => before + rejected.length);
		});
	}, [follow, isInView]);
	return count;
}
