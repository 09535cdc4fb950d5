import { useState } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import { Icon, type IconName } from "../icons.tsx";
import { formatTime } from "../state/clock.ts";
import { describeKind, describeLastResponse } from "../state/delivery-facts.ts";
import { DeliveryDetails } from "./delivery-details.tsx";

const STATES: Readonly<Record<DeliveryView["state"], { readonly icon: IconName; readonly tone: string }>> = {
	pending: { icon: "clock", tone: "warn" },
	delivered: { icon: "check", tone: "good" },
	failed: { icon: "failed", tone: "bad" },
};

/** A delivery in one line, which opens its details. */
export function DeliveryRow({ delivery }: { delivery: DeliveryView }) {
	const [isOpen, setIsOpen] = useState(false);
	const { state, attempts, createdAt } = delivery;
	const { icon, tone } = STATES[state];
	const isMisSigned = attempts.at(-1)?.check?.isValid === false;
	return (
		<details class="delivery" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
			<summary class="delivery-summary">
				<span class={`delivery-state ${tone}`}>
					<Icon name={icon} label={state} />
				</span>
				<span class="delivery-line">
					<span class="delivery-kind">{describeKind(delivery)}</span>
					<time class="muted" dateTime={new Date(createdAt).toISOString()}>
						{formatTime(createdAt)}
					</time>
				</span>
				<span class="delivery-line">
					<code class="muted delivery-event">{delivery.eventId}</code>
					{isMisSigned && <span class="badge bad">wrong signature</span>}
					<span class={`delivery-response ${tone}`}>
						{attempts.length > 1 && <span class="muted">{attempts.length} attempts · </span>}
						{describeLastResponse(delivery)}
					</span>
				</span>
			</summary>
			{isOpen && <DeliveryDetails delivery={delivery} />}
		</details>
	);
}
