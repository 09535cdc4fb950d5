import { useState } from "preact/hooks";
import { useDelayed } from "../hooks/use-delayed.ts";
import { LogFilters, TYPING_DELAY_MS } from "../log/log-filters.tsx";
import type { DeliveryFilter } from "../state/delivery-facts.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { Destinations } from "./destinations.tsx";

const KINDS = ["all", "inbound_message", "inbound_reaction", "status"] as const;

/** The webhook URLs and the log of deliveries. */
export function WebhooksTool({
	gateway,
	conversationKey,
}: {
	gateway: GatewayState;
	conversationKey: string | null;
}) {
	const [kind, setKind] = useState<(typeof KINDS)[number]>("all");
	const [isOnlyHere, setIsOnlyHere] = useState(false);
	const [filters, setFilters] = useState({ isOnlyFailed: false, search: "" });
	const filter: DeliveryFilter = {
		kind,
		conversationKey: isOnlyHere ? conversationKey : null,
		isOnlyFailed: filters.isOnlyFailed,
		search: useDelayed(filters.search.trim(), TYPING_DELAY_MS),
	};
	const { inboundWebhookUrl, statusWebhookUrl } = gateway.destinations;
	return (
		<>
			<Destinations key={`${inboundWebhookUrl} ${statusWebhookUrl}`} current={gateway.destinations} />
			<div class="filters">
				<LogFilters of="webhooks" values={filters} onValues={setFilters} />
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
			<DeliveryList filter={filter} conversations={gateway.conversations} />
		</>
	);
}
