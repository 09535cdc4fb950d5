import { useState } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import { countOlderDeliveries, type DeliveryFilter, filterDeliveries } from "../state/delivery-facts.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { describeOlderWebhooks } from "../state/older.ts";
import { DeliveryRow } from "./delivery-row.tsx";
import { Destinations } from "./destinations.tsx";

const KINDS = ["all", "inbound_message", "inbound_reaction", "status"] as const;

/** Limits the rows, since every change renders all of them. */
const PAGE_SIZE = 50;

/** The webhook URLs and the log of deliveries. */
export function WebhooksTool({
	gateway,
	conversationKey,
}: {
	gateway: GatewayState;
	conversationKey: string | null;
}) {
	const [kind, setKind] = useState<DeliveryFilter["kind"]>("all");
	const [isOnlyHere, setIsOnlyHere] = useState(false);
	const [shownCount, setShownCount] = useState(PAGE_SIZE);
	const shownKey = isOnlyHere ? conversationKey : null;
	const deliveries = filterDeliveries(gateway.deliveries, { kind, conversationKey: shownKey });
	const olderCount = countOlderDeliveries(gateway.older.deliveries, shownKey);
	const { inboundWebhookUrl, statusWebhookUrl } = gateway.destinations;
	return (
		<>
			<Destinations key={`${inboundWebhookUrl} ${statusWebhookUrl}`} current={gateway.destinations} />
			<div class="filters">
				<select
					aria-label="Kind of webhook"
					value={kind}
					onChange={({ currentTarget }) =>
						setKind(KINDS.find((name) => name === currentTarget.value) ?? "all")
					}
				>
					{KINDS.map((name) => (
						<option key={name} value={name}>
							{name === "all" ? "All kinds" : name}
						</option>
					))}
				</select>
				<label class="check">
					<input
						type="checkbox"
						checked={isOnlyHere}
						disabled={conversationKey === null}
						onChange={({ currentTarget }) => setIsOnlyHere(currentTarget.checked)}
					/>
					Only this conversation
				</label>
			</div>
			{(deliveries.length > 0 || olderCount === 0) && (
				<DeliveryList deliveries={deliveries.slice(0, shownCount)} />
			)}
			{deliveries.length > shownCount && (
				<button type="button" onClick={() => setShownCount(shownCount + PAGE_SIZE)}>
					Show older ones
				</button>
			)}
			{olderCount > 0 && deliveries.length <= shownCount && (
				<p class="muted">{describeOlderWebhooks(olderCount)}</p>
			)}
		</>
	);
}

function DeliveryList({ deliveries }: { deliveries: readonly DeliveryView[] }) {
	if (deliveries.length === 0) {
		return (
			<p class="muted empty">
				No webhooks yet. One is delivered for each message and reaction of a contact, and for each status of a
				sent message.
			</p>
		);
	}
	return (
		<ul class="deliveries" aria-label="Webhooks, the newest first">
			{deliveries.map((delivery) => (
				<li key={delivery.eventId}>
					<DeliveryRow delivery={delivery} />
				</li>
			))}
		</ul>
	);
}
