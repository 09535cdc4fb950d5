import { useMemo, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { select } from "../hooks/use-selection.ts";
import { useThread } from "../hooks/use-thread.ts";
import type { GatewayClock } from "../state/clock.ts";
import { Composer } from "./composer.tsx";
import { LiveAnnouncements } from "./live-announcements.tsx";
import { MessageList } from "./message-list.tsx";
import { ThreadHeader } from "./thread-header.tsx";

/** The selected conversation, with the form to write as the contact. */
export function ThreadPane(props: {
	conversation: ConversationView;
	/** The message to show, from the address. */
	at: number | undefined;
	clock: GatewayClock;
	drafts: Map<string, string>;
	maxFileBytes: number;
}) {
	const { conversation, at, clock, drafts, maxFileBytes } = props;
	const { key } = conversation;
	const thread = useThread(key, at);
	const messages = thread.window.items;
	const [persona, setPersona] = useState(conversation.contacts[0] ?? conversation.key);
	// biome-ignore lint/correctness/useExhaustiveDependencies: what it shows of a conversation never changes
	const composer = useMemo(
		() => (
			<Composer
				conversation={conversation}
				persona={persona}
				onPersona={setPersona}
				drafts={drafts}
				maxFileBytes={maxFileBytes}
			/>
		),
		[key, persona, drafts, maxFileBytes],
	);
	return (
		<section
			class="pane thread-pane"
			aria-labelledby="thread-title"
			onKeyDown={({ key, isComposing, target }) => {
				// In a dialog, Escape closes the dialog.
				const isInDialog = target instanceof Element && target.closest("dialog") !== null;
				if (key === "Escape" && !isComposing && !isInDialog) select(null);
			}}
		>
			<ThreadHeader conversation={conversation} messages={messages} persona={persona} />
			<p class="muted sides">
				<span>← {conversation.groupId === null ? "Contact" : "Contacts"}</span>
				<span>Your app, as the agent →</span>
			</p>
			<MessageList conversation={conversation} thread={thread} at={at} clock={clock} persona={persona} />
			{composer}
			<LiveAnnouncements messages={messages} isLoaded={thread.isLoaded} />
		</section>
	);
}
