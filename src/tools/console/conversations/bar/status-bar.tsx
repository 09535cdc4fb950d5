import { useEffect, useState } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import type { ConnectionState } from "../../live-stream.ts";
import { useConsole, useGateway } from "../console-context.ts";
import { Cut, OnDemand, Popover, Toolbar } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { count } from "../state/clock.ts";
import { describeAnswer, describeDelivery, isAcknowledged } from "../state/describe-entries.ts";
import { ClockMenu } from "./clock-menu.tsx";

/** The connection, whether the webhook URL responds, the clock, the faults and the settings. */
export function StatusBar({ connection }: { connection: ConnectionState }) {
	const isLive = connection === "live";
	const { faults } = useGateway();
	return (
		<section class="status-bar beside" aria-label="Gateway">
			<span class={isLive ? "good" : "warn"} role="status">
				<span class="connection-dot" aria-hidden="true" />
				{isLive ? "Live" : "Reconnecting…"}
			</span>
			<Toolbar label="Gateway" class="bar-controls beside grow">
				<WebhookState />
				<ClockMenu />
				<Popover
					label="Faults"
					icon="fault"
					class={faults.length > 0 ? "warn" : undefined}
					text={faults.length === 0 ? "Faults" : count(faults.length, "fault")}
				>
					{() => (
						<OnDemand load={() => import("./faults-menu.tsx")}>{({ FaultsMenu }) => <FaultsMenu />}</OnDemand>
					)}
				</Popover>
				<Popover label="Settings" icon="agent" text="Settings">
					{(close) => (
						<OnDemand load={() => import("./settings.tsx")}>
							{({ SettingsMenu }) => <SettingsMenu onClose={close} />}
						</OnDemand>
					)}
				</Popover>
			</Toolbar>
		</section>
	);
}

/** What came of the last attempt at a delivery, in words; it opens that delivery. */
function WebhookState() {
	const { open } = useConsole();
	const delivery = useLastAttempted();
	const last = delivery?.attempts.at(-1);
	const { inboundWebhookUrl, statusWebhookUrl } = useGateway().destinations;
	if (inboundWebhookUrl === null && statusWebhookUrl === null) {
		return <span class="webhook-state muted">No webhook URL yet</span>;
	}
	if (delivery === undefined || last === undefined) {
		return <span class="webhook-state muted">No webhook was sent yet</span>;
	}
	const { tone, outcome } = describeDelivery(delivery);
	const isGood = isAcknowledged(last) && tone === "muted";
	return (
		<button
			type="button"
			class={`webhook-state beside ${isGood ? "good" : tone}`}
			onClick={() => open(delivery.sequence, delivery.conversationKey)}
		>
			<Icon name={isGood ? "check" : "failed"} />
			<Cut text={isGood ? describeAnswer(last) : `Last webhook: ${outcome}`} />
		</button>
	);
}

function useLastAttempted(): DeliveryView | undefined {
	const { client, follow } = useConsole();
	const [delivery, setDelivery] = useState<DeliveryView>();
	useEffect(() => {
		const load = (): void => {
			client.page("deliveries", { limit: 50 }).then(
				({ items }) => setDelivery(items.reduce<DeliveryView | undefined>(later, undefined)),
				// The connection says so.
				() => undefined,
			);
		};
		load();
		return follow((changes) => {
			if (changes === "all") load();
			else {
				const news = changes.flatMap((change) => (change.type === "delivery" ? [change.delivery] : []));
				setDelivery((known) => news.reduce(later, known));
			}
		});
	}, [client, follow]);
	return delivery;
}

/** The one that was attempted later; of the same, its new state. */
function later(known: DeliveryView | undefined, next: DeliveryView): DeliveryView | undefined {
	const [at = 0, nextAt] = [known?.attempts.at(-1)?.at, next.attempts.at(-1)?.at];
	return nextAt !== undefined && nextAt >= at ? next : known;
}
