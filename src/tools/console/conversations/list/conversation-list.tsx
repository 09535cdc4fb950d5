import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../../control/contract.ts";
import { keepSame } from "../../parts/virtual/keep-same.ts";
import { VirtualList } from "../../parts/virtual/virtual-list.tsx";
import { IconButton } from "../controls.tsx";
import { linkTo } from "../hooks/use-selection.ts";
import { filterConversations, sortConversations } from "../state/conversations.ts";
import { count } from "../state/count.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { FoundMessageList } from "./found-message-list.tsx";
import { NewContactDialog } from "./new-contact-dialog.tsx";
import { NO_SEARCH, SearchBar } from "./search-bar.tsx";

const ESTIMATED_ROW_PX = 64;

/** How many rows the page keys move the focus. */
const PAGE_ROWS = 8;

/** The conversations, most recent first. */
export function ConversationList(props: {
	gateway: GatewayState;
	unseen: ReadonlyMap<string, number>;
	selectedKey: string | null;
}) {
	const { gateway, unseen, selectedKey } = props;
	const dialog = useRef<HTMLDialogElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const [search, setSearch] = useState(NO_SEARCH);
	const { conversations } = gateway;
	const all = useMemo(() => sortConversations({ conversations }), [conversations]);
	const shown = useMemo(() => filterConversations(all, search), [all, search]);
	const { focusedKey, moveFocus } = useRovingFocus(scroller, shown, selectedKey);
	const { now } = gateway.clock;
	const before = useRef<readonly ShownConversation[]>([]);
	const rows = useMemo(() => {
		const after = shown.map((conversation): ShownConversation => {
			const { key } = conversation;
			return {
				conversation,
				unseen: unseen.get(key) ?? 0,
				isSelected: key === selectedKey,
				isReachable: key === focusedKey,
			};
		});
		before.current = keepSame(before.current, after, keyOfRow);
		return before.current;
	}, [shown, unseen, selectedKey, focusedKey]);
	const renderRow = useCallback((row: ShownConversation) => <ConversationRow {...row} now={now} />, [now]);
	const isSearching = search !== NO_SEARCH;
	return (
		<section class="pane list-pane" aria-labelledby="list-title">
			<header class="pane-header">
				<h2 id="list-title">Contacts</h2>
				<IconButton icon="plus" label="Write as a new contact" onClick={() => dialog.current?.showModal()} />
			</header>
			{all.length > 0 && <SearchBar search={search} onSearch={setSearch} />}
			<div ref={scroller} class="conversation-list">
				{all.length === 0 && <p class="muted list-empty">Nobody has written yet.</p>}
				{isSearching && (
					<p class="muted list-heading" role="status">
						{shown.length === 0 ? "No contacts" : count(shown.length, "contact")}
					</p>
				)}
				{/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it */}
				<div onKeyDown={moveFocus}>
					<VirtualList
						tag="ul"
						label="Conversations"
						items={rows}
						keyOf={keyOfRow}
						estimate={ESTIMATED_ROW_PX}
						scroller={scroller}
						pinnedKey={focusedKey}
						renderRow={renderRow}
					/>
				</div>
				{isSearching && <FoundMessageList search={search} clock={gateway.clock} />}
			</div>
			<NewContactDialog dialog={dialog} />
		</section>
	);
}

/** A conversation with what the page knows of it. */
interface ShownConversation {
	readonly conversation: ConversationView;
	readonly unseen: number;
	readonly isSelected: boolean;
	readonly isReachable: boolean;
}

function keyOfRow({ conversation }: ShownConversation): string {
	return conversation.key;
}

/** Moves the focus between the conversations with the keyboard; the list is one tab stop. */
function useRovingFocus(
	scroller: { readonly current: HTMLElement | null },
	shown: readonly ConversationView[],
	selectedKey: string | null,
) {
	// An object, so that the focus moves once for each move, and again for one to the same row.
	const [move, setMove] = useState<{ readonly key: string } | null>(null);
	const previousKey = useRef(selectedKey);
	const isShown = (key: string | null): key is string =>
		shown.some((conversation) => conversation.key === key);
	const focusedKey = [move?.key ?? null, selectedKey].find(isShown) ?? shown[0]?.key;
	useEffect(() => {
		// After leaving a thread, focus its conversation in the list.
		const left = selectedKey === null ? previousKey.current : null;
		previousKey.current = selectedKey;
		setMove(left === null ? null : { key: left });
	}, [selectedKey]);
	// With the render, because an effect after the frame could come after the next key.
	useLayoutEffect(() => {
		if (move === null) return;
		scroller.current?.querySelector<HTMLElement>(`[href="${linkTo(move.key)}"]`)?.focus();
	}, [move, scroller]);
	const moveFocus = (event: KeyboardEvent): void => {
		const at = shown.findIndex(({ key }) => key === focusedKey);
		const targets: Readonly<Record<string, number>> = {
			ArrowDown: at + 1,
			ArrowUp: at - 1,
			PageDown: at + PAGE_ROWS,
			PageUp: at - PAGE_ROWS,
			Home: 0,
			End: shown.length - 1,
		};
		const target = targets[event.key];
		if (target === undefined) return;
		event.preventDefault();
		const to = shown[Math.min(Math.max(0, target), shown.length - 1)];
		if (to !== undefined) setMove({ key: to.key });
	};
	return { focusedKey, moveFocus };
}
