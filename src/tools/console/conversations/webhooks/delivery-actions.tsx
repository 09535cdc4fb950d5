import { useState } from "preact/hooks";
import type { DeliveryView } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { CopySource } from "../copy-source.tsx";
import { HandOverLink } from "../hand-over-link.tsx";
import { Icon } from "../icons.tsx";
import { readSent, toExplain } from "../state/sent-webhook.ts";
import { EditBody } from "./edit-body.tsx";

/** What can be done with a webhook: deliver it again, edited or not, explain it, and copy it. */
export function DeliveryActions({ delivery }: { delivery: DeliveryView }) {
	const { act } = useConsole();
	const [isEditing, setIsEditing] = useState(false);
	const { eventId, state } = delivery;
	const isPending = state === "pending";
	const sent = readSent(delivery);
	const redeliver = (): void =>
		void act({ type: "redeliver", eventId }, "Delivered again, with the same event id.");
	return (
		<>
			<div class="log-actions">
				<button type="button" disabled={isPending} onClick={redeliver}>
					<Icon name="redeliver" /> Redeliver
				</button>
				<button
					type="button"
					disabled={isPending}
					aria-expanded={isEditing}
					onClick={() => setIsEditing(!isEditing)}
				>
					<Icon name="file" /> Edit and redeliver
				</button>
				{sent !== undefined && (
					<>
						<HandOverLink path="/explain" value={toExplain(delivery)} label="Explain" />
						<CopySource
							label="Copy as curl"
							of="The command"
							write={async () => (await loadWriters()).writeWebhookCurl(sent)}
						/>
						<CopySource
							label="Copy as test"
							of="The test"
							write={async () => (await loadWriters()).writeWebhookTest(sent)}
						/>
					</>
				)}
			</div>
			{isEditing && <EditBody delivery={delivery} onClose={() => setIsEditing(false)} />}
		</>
	);
}

function loadWriters() {
	return import("../requests/write-code.ts");
}
