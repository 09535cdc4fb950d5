import { useState } from "preact/hooks";
import type { ConversationView, MessageView } from "../../../control/contract.ts";
import { select } from "../hooks/use-selection.ts";
import type { GatewayClock } from "../state/clock.ts";
import { Composer } from "./composer.tsx";
import { LiveAnnouncements } from "./live-announcements.tsx";
import { MessageList } from "./message-list.tsx";
import { ThreadHeader } from "./thread-header.tsx";

/** The selected conversation, with the form to write as the contact. */
export function ThreadPane(props: {
	conversation: ConversationView;
	messages: readonly MessageView[];
	olderCount: number;
	clock: GatewayClock;
	drafts: Map<string, string>;
	maxFileBytes: number;
}) {
	const { conversation, messages, olderCount, clock, drafts, maxFileBytes } = props;
	const [persona, setPersona] = useState(conversation.contacts[0] ?? conversation.key);
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
			<MessageList
				conversation={conversation}
				messages={messages}
				olderCount={olderCount}
				clock={clock}
				persona={persona}
			/>
			<Composer
				conversation={conversation}
				persona={persona}
				onPersona={setPersona}
				drafts={drafts}
				maxFileBytes={maxFileBytes}
			/>
			<LiveAnnouncements messages={messages} />
		</section>
	);
}
