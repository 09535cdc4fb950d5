import { useMemo } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import { Icon, type IconName } from "../icons.tsx";
import { LogRow } from "../log/log-row.tsx";
import { formatTime } from "../state/clock.ts";
import {
	describeContent,
	describeKind,
	describeLastResponse,
	isAcknowledged,
} from "../state/delivery-facts.ts";
import { DeliveryDetails } from "./delivery-details.tsx";

const STATES: Readonly<Record<DeliveryView["state"], { readonly icon: IconName; readonly tone: string }>> = {
	pending: { icon: "clock", tone: "warn" },
	delivered: { icon: "check", tone: "good" },
	failed: { icon: "failed", tone: "bad" },
	kept: { icon: "clock", tone: "warn" },
};

/** A delivery in one line, which opens its details. */
export function DeliveryRow({
	delivery,
	contact,
	opened,
}: {
	delivery: DeliveryView;
	/** Whom it is about; `null` if all rows are about the same. */
	contact: string | null;
	/** The events whose details are open. They stay open when their rows are scrolled away. */
	opened: Set<string>;
}) {
	const { state, attempts, createdAt } = delivery;
	const { icon, tone } = STATES[state];
	const last = attempts.at(-1);
	const isFailing = last !== undefined && !(isAcknowledged(last) && last.check?.isValid !== false);
	const isMisSigned = last?.check?.isValid === false;
	const content = useMemo(() => describeContent(delivery), [delivery]);
	return (
		<LogRow
			rowKey={delivery.eventId}
			opened={opened}
			class={isFailing ? "delivery is-failing" : "delivery"}
			details={() => <DeliveryDetails delivery={delivery} />}
		>
			<summary class="delivery-summary">
				<span class={`delivery-state ${tone}`}>
					<Icon name={icon} label={state} />
				</span>
				<time class="muted" dateTime={new Date(createdAt).toISOString()}>
					{formatTime(createdAt)}
				</time>
				<span class="delivery-line">
					{contact !== null && <bdi>{contact}</bdi>} <strong>{describeKind(delivery)}</strong>
					{content !== "" && <bdi class="muted delivery-content">{content}</bdi>}
				</span>
				<span class={`delivery-response ${tone}`}>
					{isMisSigned && <span class="badge bad">wrong signature</span>}{" "}
					{attempts.length > 1 && state !== "failed" && <span class="muted">{attempts.length}× </span>}
					{describeLastResponse(delivery)}
				</span>
			</summary>
		</LogRow>
	);
}
