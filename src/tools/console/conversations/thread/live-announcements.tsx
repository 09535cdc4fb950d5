import { useEffect, useRef, useState } from "preact/hooks";
import type { MessageView } from "../../../control/contract.ts";
import { announce } from "../state/announcements.ts";

/** Announces changes of the thread to screen readers. */
export function LiveAnnouncements({
	messages,
	isLoaded,
}: {
	messages: readonly MessageView[];
	isLoaded: boolean;
}) {
	const before = useRef<readonly MessageView[] | undefined>(undefined);
	const [lines, setLines] = useState<readonly string[]>([]);
	useEffect(() => {
		if (!isLoaded) return;
		const news = before.current === undefined ? [] : announce(before.current, messages);
		before.current = messages;
		if (news.length > 0) setLines(news);
	}, [messages, isLoaded]);
	return (
		<div class="visually-hidden" aria-live="polite">
			{lines.join(". ")}
		</div>
	);
}
