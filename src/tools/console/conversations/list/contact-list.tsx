import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { VirtualList } from "../../parts/virtual/virtual-list.tsx";
import { useGateway } from "../console-context.ts";
import { IconButton, Toolbar } from "../controls.tsx";
import { useRovingFocus } from "../hooks/use-roving-focus.ts";
import { ALL_ACTIVITY } from "../hooks/use-selection.ts";
import { Icon } from "../icons.tsx";
import { count } from "../state/clock.ts";
import { filterConversations, sortConversations } from "../state/conversations.ts";
import { ContactRow, SelectLink } from "./contact-row.tsx";
import { FoundList } from "./found-list.tsx";
import { NewContactForm } from "./new-contact.tsx";

const ESTIMATED_ROW_PX = 64;

/** The contacts, most recent first, and what a search finds. */
export function ContactList(props: {
	unseen: ReadonlyMap<string, number>;
	/** How many failures there are of no contact since *All activity* was in view. */
	newFailures: number;
	selectedKey: string | null;
	isOnlyFailed: boolean;
	onOnlyFailed: (isOn: boolean) => void;
}) {
	const { unseen, newFailures, selectedKey, isOnlyFailed, onOnlyFailed } = props;
	const { conversations, clock } = useGateway();
	const dialog = useRef<HTMLDialogElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const [text, setText] = useState("");
	const search = useMemo(() => ({ text, isOnlyFailed }), [text, isOnlyFailed]);
	const isSearching = text !== "" || isOnlyFailed;
	const all = useMemo(() => sortConversations({ conversations }), [conversations]);
	const shown = useMemo(() => filterConversations(all, search), [all, search]);
	const { focusedKey, onKeyDown, onFocusIn } = useRovingFocus({
		scroller,
		keys: useMemo(() => [ALL_ACTIVITY, ...shown.map(({ key }) => key)], [shown]),
		startKey: ALL_ACTIVITY,
		selectedKey: selectedKey ?? undefined,
	});
	const { now } = clock;
	const renderRow = useCallback(
		(conversation: ConversationView) => (
			<ContactRow
				conversation={conversation}
				unseen={unseen.get(conversation.key) ?? 0}
				isSelected={conversation.key === selectedKey}
				isReachable={conversation.key === focusedKey}
				now={now}
			/>
		),
		[unseen, selectedKey, focusedKey, now],
	);
	return (
		<section class="pane list-pane" aria-labelledby="list-title">
			<h2 id="list-title" class="visually-hidden">
				Contacts
			</h2>
			<search class="search-bar beside">
				<input
					type="search"
					class="grow"
					aria-label="Search contacts, texts, bodies and ids"
					placeholder="Search"
					autocomplete="off"
					spellcheck={false}
					dir="auto"
					value={text}
					onInput={({ currentTarget }) => setText(currentTarget.value)}
					onKeyDown={(event) => {
						if (event.key === "Escape") setText("");
					}}
				/>
				<Toolbar label="Contacts" class="beside">
					<button
						type="button"
						class="chip"
						aria-pressed={isOnlyFailed}
						onClick={() => onOnlyFailed(!isOnlyFailed)}
					>
						Failed
					</button>
					<IconButton
						icon="plus"
						label="Write as a new contact"
						onClick={() => dialog.current?.showModal()}
					/>
				</Toolbar>
			</search>
			{/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it */}
			<div ref={scroller} class="contact-list" onKeyDown={onKeyDown} onFocusIn={onFocusIn}>
				<SelectLink
					timelineKey={ALL_ACTIVITY}
					isCurrent={selectedKey === null || selectedKey === ALL_ACTIVITY}
					tabIndex={focusedKey === ALL_ACTIVITY ? 0 : -1}
				>
					<Icon name="webhook" />
					<strong class="grow">All activity</strong>
					{newFailures > 0 && <span class="badge badge-bad">{newFailures} failed</span>}
				</SelectLink>
				{all.length === 0 && <p class="hint list-heading">Nobody has written yet.</p>}
				{isSearching && (
					<p class="hint list-heading" role="status">
						{shown.length === 0 ? "No contacts" : count(shown.length, "contact")}
					</p>
				)}
				<VirtualList
					tag="ul"
					label="Contacts"
					items={shown}
					keyOf={keyOfConversation}
					estimate={ESTIMATED_ROW_PX}
					scroller={scroller}
					pinnedKey={focusedKey}
					renderRow={renderRow}
				/>
				{isSearching && <FoundList search={search} />}
			</div>
			<dialog ref={dialog} class="dialog" aria-labelledby="new-contact-title">
				<h2 id="new-contact-title">Write as a new contact</h2>
				<NewContactForm onClose={() => dialog.current?.close()} />
			</dialog>
		</section>
	);
}

function keyOfConversation({ key }: ConversationView): string {
	return key;
}
