import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { Checkbox } from "../../parts/fields.tsx";
import { useConsole, useGateway } from "../console-context.ts";
import { Cut, IconButton } from "../controls.tsx";
import { Drawer } from "../drawer/drawer.tsx";
import { ALL_ACTIVITY, closeDrawer, isToLeave, select } from "../hooks/use-selection.ts";
import { useEntry, useTimeline } from "../hooks/use-timeline.ts";
import { describeConversation, titleOf } from "../state/conversations.ts";
import { announce } from "../state/describe-entries.ts";
import type { Entry } from "../state/entries.ts";
import { Composer } from "./composer.tsx";
import { ConversationHeader } from "./timeline-header.tsx";
import { TimelineList } from "./timeline-list.tsx";

/** The timeline of a conversation, with the form to write as the contact, or that of all contacts, and the drawer. */
export function TimelinePane(props: {
	conversation: ConversationView | undefined;
	at: number | undefined;
	drafts: Map<string, string>;
	/** Whether it shows only what failed, or only messages, until `onAll` is called. */
	isOnlyFailed: boolean;
	isOnlyMessages: boolean;
	onOnlyMessages: (isOn: boolean) => void;
	onAll: () => void;
}) {
	const { conversation, at, drafts, isOnlyFailed, isOnlyMessages, onOnlyMessages, onAll } = props;
	const { limits } = useGateway();
	const name = conversation === undefined ? "All activity" : titleOf(conversation);
	const key = conversation?.key ?? ALL_ACTIVITY;
	const [areProbesShown, setAreProbesShown] = useState(false);
	const hasProbes = useHasProbes(conversation === undefined);
	const timeline = useTimeline({
		conversation: conversation?.key,
		areProbesShown,
		isOnlyFailed,
		isOnlyMessages,
		around: at,
	});
	const entry = useEntry(at, timeline);
	const isFiltered = isOnlyFailed || isOnlyMessages;
	const isLeftOut = isFiltered && at !== undefined && entry === undefined && timeline.loading === null;
	useEffect(() => {
		// A link leads to what is not shown.
		if (isLeftOut) onAll();
	}, [isLeftOut, onAll]);
	const { items } = timeline.window;
	const [persona, setPersona] = useState(conversation?.contacts[0] ?? key);
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		// On a small screen the list is hidden now, so the focus is lost.
		const isListGone = document.querySelector(".list-pane")?.checkVisibility() === false;
		if (isListGone && document.activeElement === document.body) title.current?.focus();
	}, []);
	// biome-ignore lint/correctness/useExhaustiveDependencies: what it shows of a conversation never changes
	const composer = useMemo(
		() =>
			conversation && (
				<Composer
					conversation={conversation}
					persona={persona}
					onPersona={setPersona}
					drafts={drafts}
					maxFileBytes={limits.attachmentBytes}
				/>
			),
		[key, persona, drafts, limits],
	);
	return (
		<>
			<section
				class="pane timeline-pane"
				aria-labelledby="timeline-title"
				onKeyDown={(event) => {
					if (!isToLeave(event)) return;
					if (at === undefined) select(null);
					else closeDrawer();
				}}
			>
				<header class="pane-header beside">
					<IconButton icon="back" label="All contacts" class="back-button" onClick={() => select(null)} />
					<div class="grow">
						<h2 id="timeline-title" class="cut" title={name} ref={title} tabIndex={-1} dir="auto">
							{name}
						</h2>
						<p class="beside hint">
							<Cut
								text={
									conversation === undefined
										? "Messages, webhooks and requests"
										: describeConversation(conversation)
								}
							/>
						</p>
					</div>
					<div class="beside">
						<Checkbox isSwitch isOn={isOnlyMessages} onChange={onOnlyMessages}>
							Messages only
						</Checkbox>
						{conversation === undefined ? (
							hasProbes && (
								<Checkbox isOn={areProbesShown} onChange={setAreProbesShown}>
									Show the doctor's probes
								</Checkbox>
							)
						) : (
							<ConversationHeader conversation={conversation} entries={items} persona={persona} />
						)}
					</div>
				</header>
				{isOnlyFailed && (
					<p class="hint list-heading">
						Only what failed{" "}
						<button type="button" class="link" onClick={onAll}>
							Show all
						</button>
					</p>
				)}
				<TimelineList
					conversation={conversation}
					timeline={timeline}
					at={at}
					persona={persona}
					isOnlyFailed={isOnlyFailed}
				/>
				{composer}
				<LiveAnnouncements
					key={`${isOnlyFailed} ${isOnlyMessages}`}
					entries={items}
					isLoaded={timeline.isLoaded}
				/>
			</section>
			{at !== undefined && <Drawer entry={entry} entries={items} isLoaded={timeline.isLoaded} />}
		</>
	);
}

/** Whether a doctor has run. */
function useHasProbes(isAsked: boolean): boolean {
	const { client, follow } = useConsole();
	const [hasProbes, setHasProbes] = useState(false);
	useEffect(() => {
		if (!isAsked) return undefined;
		client.page("requests", { probe: true, limit: 1 }).then(
			({ items }) => setHasProbes(items.length > 0),
			// The connection says so.
			() => undefined,
		);
		return follow((changes) => {
			if (changes === "all") return;
			if (changes.some((change) => change.type === "request" && change.request.probe)) setHasProbes(true);
		});
	}, [client, follow, isAsked]);
	return hasProbes;
}

function LiveAnnouncements({ entries, isLoaded }: { entries: readonly Entry[]; isLoaded: boolean }) {
	const before = useRef<readonly Entry[] | undefined>(undefined);
	const [lines, setLines] = useState<readonly string[]>([]);
	useEffect(() => {
		if (!isLoaded) return;
		const news = before.current === undefined ? [] : announce(before.current, entries);
		before.current = entries;
		if (news.length > 0) setLines(news);
	}, [entries, isLoaded]);
	return (
		<div class="visually-hidden" aria-live="polite">
			{lines.join(". ")}
		</div>
	);
}
