import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ControlClient } from "../../control/client/control-client.ts";
import { type Console, ConsoleContext } from "./console-context.ts";
import { focusTarget } from "./focus-target.ts";
import { useConsoleActions } from "./hooks/use-console-actions.ts";
import { useKeptSwitch } from "./hooks/use-kept-switch.ts";
import { useLivePage } from "./hooks/use-live-page.ts";
import { useMedia } from "./hooks/use-media.ts";
import { useNotices } from "./hooks/use-notices.ts";
import { useRejectedCount } from "./hooks/use-rejected-count.ts";
import { select, useSelection } from "./hooks/use-selection.ts";
import { ConversationList } from "./list/conversation-list.tsx";
import { Notices } from "./notices.tsx";
import { PaneBar } from "./panel/pane-bar.tsx";
import { SidePanel } from "./panel/side-panel.tsx";
import type { ToolName } from "./panel/tools.ts";
import { count } from "./state/count.ts";
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
	const { key: selectedKey, at } = useSelection();
	const { page, connection, follow } = useLivePage(client, selectedKey, onRejected);
	const { notices, notify, dismiss } = useNotices();
	const [tool, setTool] = useState<ToolName>("webhooks");
	const [areToolsShown, setAreToolsShown] = useKeptSwitch("messaging-gateway-tools");
	const [isToolInFront, setIsToolInFront] = useState(false);
	const showMessage: Console["showMessage"] = useCallback(({ conversationKey, sequence }) => {
		setIsToolInFront(false);
		select(conversationKey, sequence);
		focusTarget();
	}, []);
	const console = useConsoleActions(client, { notify, follow, showMessage });
	const isNarrow = useMedia("(max-width: 699px)");
	const isLogInView = tool === "requests" && (isToolInFront || !isNarrow);
	const drafts = useRef(new Map<string, string>());
	const { gateway } = page;
	const rejectedCount = useRejectedCount(follow, isLogInView);
	const unseen = useMemo(() => countUnseen(page), [page]);
	const unseenCount = Array.from(unseen.values()).reduce((sum, count) => sum + count, 0);
	useEffect(() => {
		document.title = `${unseenCount === 0 ? "" : `(${unseenCount}) `}${TITLE}`;
	}, [unseenCount]);
	const openTool = (name: ToolName): void => {
		setTool(name);
		setAreToolsShown(true);
		setIsToolInFront(true);
	};

	if (gateway === null) return <Opening isLost={connection === "reconnecting"} />;
	const conversation = selectedKey === null ? undefined : gateway.conversations.get(selectedKey);
	const isListInFront = conversation === undefined && gateway.conversations.size > 0;
	return (
		<ConsoleContext.Provider value={console}>
			<h1 class="visually-hidden">Conversations</h1>
			<StatusBar
				gateway={gateway}
				connection={connection}
				onOpenTool={openTool}
				areToolsShown={areToolsShown}
				onToolsShown={setAreToolsShown}
			/>
			<div
				class="workspace"
				data-chat={isListInFront ? "list" : "thread"}
				data-tools={areToolsShown ? "shown" : "hidden"}
				data-front={isToolInFront ? "tool" : "chat"}
			>
				<ConversationList gateway={gateway} unseen={unseen} selectedKey={conversation?.key ?? null} />
				{conversation === undefined ? (
					<Welcome isFirst={gateway.conversations.size === 0} baseUrl={gateway.baseUrl} />
				) : (
					<ThreadPane
						key={conversation.key}
						conversation={conversation}
						at={at}
						clock={gateway.clock}
						drafts={drafts.current}
						maxFileBytes={gateway.limits.attachmentBytes}
					/>
				)}
				<SidePanel
					tool={tool}
					onTool={setTool}
					rejectedCount={rejectedCount}
					gateway={gateway}
					conversation={conversation ?? null}
				/>
				<PaneBar
					rejectedCount={rejectedCount}
					tool={isToolInFront ? tool : null}
					onTool={openTool}
					onChats={() => setIsToolInFront(false)}
				/>
			</div>
			<p class="visually-hidden" role="status">
				{rejectedCount > 0 && `${count(rejectedCount, "new rejected request")}. See Requests.`}
			</p>
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
