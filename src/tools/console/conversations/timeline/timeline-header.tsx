import type { ConversationView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { CopySource } from "../copy-source.tsx";
import { Icon } from "../icons.tsx";
import { Popover, Toolbar } from "../popover.tsx";
import type { Entry } from "../state/entries.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { Mapping } from "./mapping.tsx";

/** What can be seen and done of a conversation as a whole. */
export function ConversationHeader(props: {
	gateway: GatewayState;
	conversation: ConversationView;
	entries: readonly Entry[];
	persona: string;
}) {
	const { gateway, conversation, entries, persona } = props;
	const { client, act } = useConsole();
	const isUnread = entries.some(
		(entry) =>
			entry.kind === "message" &&
			entry.message.outbound &&
			(entry.message.status === "sent" || entry.message.status === "delivered"),
	);
	return (
		<Toolbar label="Conversation" class="header-actions">
			<Popover label="Mapping" icon="mapping" text="Mapping">
				{() => <Mapping gateway={gateway} conversation={conversation} />}
			</Popover>
			<button
				type="button"
				disabled={!isUnread}
				onClick={() => void act({ type: "read", from: persona }, `Marked as read by ${persona}.`)}
			>
				<Icon name="read" /> <span>Mark as read</span>
			</button>
			<CopySource label="Copy as test" of="The test" write={() => client.testOf(conversation.key)} />
		</Toolbar>
	);
}
