import { useEffect, useRef, useState } from "preact/hooks";
import type { MessageView } from "../../../control/contract.ts";
import { announce } from "../state/announcements.ts";

/** Announces changes of the thread to screen readers. */
export function LiveAnnouncements({ messages }: { messages: readonly MessageView[] }) {
	const before = useRef(messages);
	const [lines, setLines] = useState<readonly string[]>([]);
	useEffect(() => {
		const news = announce(before.current, messages);
		before.current = messages;
		if (news.length > 0) setLines(news);
	}, [messages]);
	return (
		<div class="visually-hidden" aria-live="polite">
			{lines.join(". ")}
		</div>
	);
}
