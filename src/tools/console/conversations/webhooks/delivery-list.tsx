import { useCallback, useRef } from "preact/hooks";
import type { Change, DeliveryView } from "../../../control/contract.ts";
import { useHistory } from "../hooks/use-history.ts";
import { LogList } from "../log/log-list.tsx";
import { titleOf } from "../state/conversations.ts";
import { type DeliveryFilter, isSelected } from "../state/delivery-facts.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { DeliveryRow } from "./delivery-row.tsx";

/** The webhooks that a filter selects. */
export function DeliveryList({
	filter,
	conversations,
}: {
	filter: DeliveryFilter;
	conversations: GatewayState["conversations"];
}) {
	const list = useDeliveries(filter);
	const opened = useRef(new Set<string>()).current;
	const isOnlyOne = filter.conversationKey !== null;
	// A title hardly ever changes, so rows are not rendered again for each change of a conversation.
	const known = useRef(conversations);
	known.current = conversations;
	const renderRow = useCallback(
		(delivery: DeliveryView) => {
			const conversation = known.current.get(delivery.conversationKey);
			const title = conversation === undefined ? delivery.conversationKey : titleOf(conversation);
			const contact = isOnlyOne ? null : title;
			return <DeliveryRow delivery={delivery} contact={contact} opened={opened} />;
		},
		[opened, isOnlyOne],
	);
	return (
		<LogList
			of="webhook"
			label="Webhooks, the newest first"
			list={list}
			emptyNote={noteOfEmpty(filter)}
			keyOf={keyOfDelivery}
			estimate={68}
			renderRow={renderRow}
		/>
	);
}

function noteOfEmpty({ kind, isOnlyFailed, search }: DeliveryFilter): string {
	if (kind !== "all" || isOnlyFailed || search !== "") return "No webhook matches.";
	return "No webhooks yet. One is delivered for each message and reaction of a contact, and for each status of a sent message.";
}

function useDeliveries({ kind, conversationKey, isOnlyFailed, search }: DeliveryFilter) {
	const itemOf = useCallback(
		(change: Change): DeliveryView | undefined => {
			if (change.type !== "delivery") return undefined;
			const { delivery } = change;
			return isSelected(delivery, { kind, conversationKey, isOnlyFailed, search }) ? delivery : undefined;
		},
		[kind, conversationKey, isOnlyFailed, search],
	);
	const query = {
		...(kind === "all" ? {} : { kind }),
		...(conversationKey === null ? {} : { conversation: conversationKey }),
		...(isOnlyFailed ? { failed: true } : {}),
		...(search === "" ? {} : { search }),
	};
	return useHistory({ list: "deliveries", query, itemOf });
}

function keyOfDelivery({ eventId }: DeliveryView): string {
	return eventId;
}
