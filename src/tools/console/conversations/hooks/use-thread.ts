import { useCallback } from "preact/hooks";
import type { Change, MessageView } from "../../../control/contract.ts";
import { useHistory } from "./use-history.ts";

/** The messages of a conversation, as far as they are loaded. */
export type Thread = ReturnType<typeof useThread>;

/** The messages of a conversation, from the newest on, or around the one with this `sequence`. */
export function useThread(conversation: string, around: number | undefined) {
	const itemOf = useCallback(
		(change: Change): MessageView | undefined =>
			change.type === "message" && change.message.conversationKey === conversation
				? change.message
				: undefined,
		[conversation],
	);
	return useHistory({ list: "messages", query: { conversation }, itemOf, around });
}
