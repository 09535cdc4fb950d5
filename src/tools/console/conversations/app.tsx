import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ControlClient } from "../../control/client/control-client.ts";
import { createPageClient } from "../control-client.ts";
import { ActionForm, TextField } from "../parts/fields.tsx";
import { keepToken, readPastedToken, replaceRejected, useToken } from "../token.ts";
import { StatusBar } from "./bar/status-bar.tsx";
import { ConsoleContext, GatewayContext, useConsoleActions } from "./console-context.ts";
import { type Follower, useLivePage } from "./hooks/use-live-page.ts";
import { ALL_ACTIVITY, useSelection } from "./hooks/use-selection.ts";
import { ContactList } from "./list/contact-list.tsx";
import { Notices, useNotices } from "./notices.tsx";
import { count } from "./state/clock.ts";
import { findFailure } from "./state/describe-entries.ts";
import { toEntry } from "./state/entries.ts";
import { countUnseen } from "./state/gateway-state.ts";
import { TimelinePane } from "./timeline/timeline-pane.tsx";

/** The page /. It shows the token form until the gateway accepts a token. */
export function ConversationsApp() {
	const [token, setToken] = useToken();
	const [problem, setProblem] = useState<string>();
	const client = useMemo(() => (token === null ? null : createPageClient(token)), [token]);
	const onRejected = useCallback(
		(reason: string) => {
			setToken(token && replaceRejected(token));
			setProblem(reason);
		},
		[token, setToken],
	);
	const onToken = (entered: string): void => {
		keepToken(entered);
		setToken(entered);
	};
	if (client === null) return <TokenForm problem={problem} onToken={onToken} />;
	return <Workspace client={client} onRejected={onRejected} />;
}

function TokenForm(props: { problem: string | undefined; onToken: (token: string) => void }) {
	const { problem, onToken } = props;
	const [pasted, setPasted] = useState("");
	const token = readPastedToken(pasted);
	return (
		<ActionForm class="token-form panel" onSubmit={() => token !== "" && onToken(token)}>
			<h1>One more step</h1>
			{problem !== undefined && (
				<p class="bad" role="alert">
					{problem}
				</p>
			)}
			<p>
				Open the link that the command printed, or paste its token. This browser keeps it, so you do this
				once. The token keeps other pages in your browser away from your gateway.
			</p>
			<TextField label="Token, or the whole link" isSecret isRequired value={pasted} onInput={setPasted} />
			<button type="submit" class="primary">
				Open the console
			</button>
		</ActionForm>
	);
}

const TITLE = document.title;

/** The page with a valid token: the contacts, a timeline, and the drawer with what is selected in it. */
function Workspace(props: { client: ControlClient; onRejected: (reason: string) => void }) {
	const { client, onRejected } = props;
	const { key: selectedKey, at } = useSelection();
	const { page, connection, follow } = useLivePage(client, selectedKey, onRejected);
	const { notices, notify, dismiss } = useNotices();
	const console = useConsoleActions(client, follow, notify);
	const { gateway } = page;
	const unseen = useMemo(() => countUnseen(page), [page]);
	const unseenCount = [...unseen.values()].reduce((sum, number) => sum + number, 0);
	useEffect(() => {
		document.title = `${unseenCount === 0 ? "" : `(${unseenCount}) `}${TITLE}`;
	}, [unseenCount]);
	// A deleted conversation has no timeline.
	const isKnown = selectedKey !== null && gateway?.conversations.has(selectedKey) === true;
	const key = isKnown ? selectedKey : ALL_ACTIVITY;
	const newFailures = useNewFailures(follow, key === ALL_ACTIVITY);
	const [isOnlyFailed, setIsOnlyFailed] = useState(false);
	const [isOnlyMessages, setIsOnlyMessages] = useState(false);
	const showAll = useCallback(() => {
		setIsOnlyFailed(false);
		setIsOnlyMessages(false);
	}, []);
	const drafts = useRef(new Map<string, string>()).current;
	if (gateway === null) {
		return (
			<div>
				<h1 class="visually-hidden">Conversations</h1>
				<p role="status" class="muted">
					{connection === "reconnecting"
						? "The gateway can't be reached. Trying again…"
						: "Connecting to the gateway…"}
				</p>
			</div>
		);
	}
	const isListInFront = !isKnown && selectedKey !== ALL_ACTIVITY && gateway.conversations.size > 0;
	return (
		<ConsoleContext.Provider value={console}>
			<GatewayContext.Provider value={gateway}>
				<h1 class="visually-hidden">Conversations</h1>
				<StatusBar connection={connection} />
				<Notices notices={notices} onDismiss={dismiss} />
				<div class="workspace" data-front={isListInFront ? "list" : "timeline"}>
					<ContactList
						unseen={unseen}
						newFailures={newFailures}
						selectedKey={isListInFront ? null : key}
						isOnlyFailed={isOnlyFailed}
						onOnlyFailed={setIsOnlyFailed}
					/>
					<TimelinePane
						key={key}
						conversation={gateway.conversations.get(key)}
						at={at}
						drafts={drafts}
						isOnlyFailed={isOnlyFailed}
						isOnlyMessages={isOnlyMessages}
						onOnlyMessages={setIsOnlyMessages}
						onAll={showAll}
					/>
				</div>
				<p class="visually-hidden" role="status">
					{newFailures > 0 && `${count(newFailures, "new failure")} of no contact. See All activity.`}
				</p>
			</GatewayContext.Provider>
		</ConsoleContext.Provider>
	);
}

/** Counts the failures of no contact that come while *All activity* is not in view. */
function useNewFailures(follow: (follower: Follower) => () => void, isInView: boolean): number {
	const [failed, setFailed] = useState<ReadonlySet<number>>(new Set());
	useLayoutEffect(() => {
		setFailed(new Set());
		if (isInView) return undefined;
		return follow((changes) => {
			if (changes === "all") return setFailed(new Set());
			const news = changes.map(toEntry).flatMap((entry) => {
				if (entry === undefined || entry.conversationKey !== undefined) return [];
				const isProbe = entry.kind === "request" && entry.request.probe === true;
				return isProbe || findFailure(entry) === undefined ? [] : [entry.sequence];
			});
			if (news.length > 0) setFailed((before) => new Set([...before, ...news]));
		});
	}, [follow, isInView]);
	return failed.size;
}
