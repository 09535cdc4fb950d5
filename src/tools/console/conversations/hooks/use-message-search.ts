import { useEffect, useState } from "preact/hooks";
import type { MessageView, Page, PageQuery } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";

/** How long the page waits after a keystroke before it searches. */
const PAUSE_MS = 200;

/** The most messages that a search shows. */
const MAX_FOUND = 50;

/** The messages that a search found. */
export interface FoundMessages {
	/** `null` without a search, and until the first response. */
	readonly page: Page<MessageView> | null;
	readonly problem: string | null;
}

const NOTHING: FoundMessages = { page: null, problem: null };

/** Searches all messages of the gateway; an empty query finds nothing. */
export function useMessageSearch(query: Pick<PageQuery, "search" | "failed">): FoundMessages {
	const { client } = useConsole();
	const [found, setFound] = useState(NOTHING);
	const { search = "", failed = false } = query;
	useEffect(() => {
		if (search === "" && !failed) {
			setFound(NOTHING);
			return undefined;
		}
		const request = new AbortController();
		const timer = setTimeout(() => {
			client.page("messages", { search, failed, limit: MAX_FOUND }, request.signal).then(
				(page) => setFound({ page, problem: null }),
				(error: Error) => {
					if (!request.signal.aborted) setFound({ page: null, problem: error.message });
				},
			);
		}, PAUSE_MS);
		return () => {
			clearTimeout(timer);
			request.abort();
		};
	}, [client, search, failed]);
	return found;
}
