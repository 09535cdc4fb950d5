import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ControlClient } from "../control-client.ts";
import { ConsoleContext } from "./console-context.ts";
import { useConsoleActions } from "./hooks/use-console-actions.ts";
import { useLivePage } from "./hooks/use-live-page.ts";
import { useNotices } from "./hooks/use-notices.ts";
import { useSelection } from "./hooks/use-selection.ts";
import { ConversationList } from "./list/conversation-list.tsx";
import { Notices } from "./notices.tsx";
import { PaneBar } from "./panel/pane-bar.tsx";
import { SidePanel } from "./panel/side-panel.tsx";
import type { ToolName } from "./panel/tools.ts";
import { groupMessages } from "./state/conversations.ts";
import { countUnseen } from "./state/page-state.ts";
import { StatusBar } from "./status-bar.tsx";
import { ThreadPane } from "./thread/thread-pane.tsx";
import { Welcome } from "./welcome.tsx";

/** The title from the server. */
const TITLE = document.title;

/** The page with a valid token: the conversations, the selected one, and the tools. */
export function Workspace({
	client,
	onRejected,
}: {
	client: ControlClient;
	onRejected: (reason: string) => void;
}) {
	const selectedKey = useSelection();
	const { page, connection } = useLivePage(client, selectedKey, onRejected);
	const { notices, notify, dismiss } = useNotices();
	const console = useConsoleActions(client, notify);
	const [tool, setTool] = useState<ToolName>("webhooks");
	const [isToolInFront, setIsToolInFront] = useState(false);
	const drafts = useRef(new Map<string, string>());
	const { gateway } = page;
	const threads = useMemo(() => groupMessages(gateway?.messages ?? new Map()), [gateway?.messages]);
	const unseen = countUnseen(page);
	const unseenCount = Array.from(unseen.values()).reduce((sum, count) => sum + count, 0);
	useEffect(() => {
		document.title = `${unseenCount === 0 ? "" : `(${unseenCount}) `}${TITLE}`;
	}, [unseenCount]);
	const openTool = (name: ToolName): void => {
		setTool(name);
		setIsToolInFront(true);
	};

	if (gateway === null) return <Opening isLost={connection === "reconnecting"} />;
	const conversation = selectedKey === null ? undefined : gateway.conversations.get(selectedKey);
	const isListInFront = conversation === undefined && gateway.conversations.size > 0;
	const messages = threads.get(conversation?.key ?? "") ?? [];
	return (
		<ConsoleContext.Provider value={console}>
			<h1 class="visually-hidden">Conversations</h1>
			<StatusBar gateway={gateway} connection={connection} onOpenTool={openTool} />
			<div
				class="workspace"
				data-chat={isListInFront ? "list" : "thread"}
				data-front={isToolInFront ? "tool" : "chat"}
			>
				<ConversationList
					gateway={gateway}
					threads={threads}
					unseen={unseen}
					selectedKey={conversation?.key ?? null}
				/>
				{conversation === undefined ? (
					<Welcome isFirst={gateway.conversations.size === 0} baseUrl={gateway.baseUrl} />
				) : (
					<ThreadPane
						key={conversation.key}
						conversation={conversation}
						messages={messages}
						olderCount={gateway.older.messages[conversation.key] ?? 0}
						clock={gateway.clock}
						drafts={drafts.current}
						maxFileBytes={gateway.limits.attachmentBytes}
					/>
				)}
				<SidePanel tool={tool} onTool={setTool} gateway={gateway} conversation={conversation ?? null} />
				<PaneBar
					tool={isToolInFront ? tool : null}
					onTool={openTool}
					onChats={() => setIsToolInFront(false)}
				/>
			</div>
			<Notices notices={notices} onDismiss={dismiss} />
		</ConsoleContext.Provider>
	);
}

/** Shown until the first snapshot arrives. */
function Opening({ isLost }: { isLost: boolean }) {
	return (
		<div class="opening">
			<h1 class="visually-hidden">Conversations</h1>
			<p role="status" class="muted">
				{isLost ? "The gateway cannot be reached. Trying again…" : "Connecting to the gateway…"}
			</p>
		</div>
	);
}
