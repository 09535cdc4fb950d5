import { useEffect, useRef } from "preact/hooks";
import type { MessageView } from "../../../control/contract.ts";
import { IconButton } from "../controls.tsx";
import { linkTo } from "../hooks/use-selection.ts";
import { sortConversations } from "../state/conversations.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { NewContactDialog } from "./new-contact-dialog.tsx";

/** The conversations, most recent first. */
export function ConversationList(props: {
	gateway: GatewayState;
	threads: ReadonlyMap<string, readonly MessageView[]>;
	unseen: ReadonlyMap<string, number>;
	selectedKey: string | null;
}) {
	const dialog = useRef<HTMLDialogElement>(null);
	const list = useRef<HTMLUListElement>(null);
	const previousKey = useRef(props.selectedKey);
	useEffect(() => {
		// After leaving a thread, focus its conversation in the list.
		const left = props.selectedKey === null ? previousKey.current : null;
		previousKey.current = props.selectedKey;
		if (left !== null) list.current?.querySelector<HTMLElement>(`[href="${linkTo(left)}"]`)?.focus();
	}, [props.selectedKey]);
	const conversations = sortConversations(props.gateway);
	const reachableKey = props.selectedKey ?? conversations[0]?.key;
	return (
		<section class="pane list-pane" aria-labelledby="list-title">
			<header class="pane-header">
				<h2 id="list-title">Contacts</h2>
				<IconButton icon="plus" label="Write as a new contact" onClick={() => dialog.current?.showModal()} />
			</header>
			{conversations.length === 0 && <p class="muted list-empty">Nobody has written yet.</p>}
			<ul ref={list} class="conversation-list" onKeyDown={moveFocus}>
				{conversations.map((conversation) => (
					<ConversationRow
						key={conversation.key}
						conversation={conversation}
						last={props.threads.get(conversation.key)?.at(-1)}
						olderCount={props.gateway.older.messages[conversation.key] ?? 0}
						unseen={props.unseen.get(conversation.key) ?? 0}
						isSelected={conversation.key === props.selectedKey}
						isReachable={conversation.key === reachableKey}
						clock={props.gateway.clock}
					/>
				))}
			</ul>
			<NewContactDialog dialog={dialog} />
		</section>
	);
}

/** Moves the focus with the arrow keys; the list is one tab stop. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
	const links = [...event.currentTarget.querySelectorAll("a")];
	const focused = document.activeElement;
	const at = focused instanceof HTMLAnchorElement ? links.indexOf(focused) : -1;
	const targets: Readonly<Record<string, number>> = {
		ArrowDown: Math.min(at + 1, links.length - 1),
		ArrowUp: Math.max(at - 1, 0),
		Home: 0,
		End: links.length - 1,
	};
	const target = targets[event.key];
	if (target === undefined) return;
	event.preventDefault();
	links[target]?.focus();
}
