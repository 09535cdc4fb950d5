import { useState } from "preact/hooks";
import type { Snapshot } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Field } from "../controls.tsx";
import { Icon } from "../icons.tsx";

/** The registered webhook URLs. */
export function Destinations({ current }: { current: Snapshot["destinations"] }) {
	const hasNone = current.inboundWebhookUrl === null && current.statusWebhookUrl === null;
	return (
		<details class="card destinations" open={hasNone}>
			<summary class="destinations-summary">
				<h3>Destinations</h3>
				<span class="muted">{hasNone ? "none set" : summarizeUrls(current)}</span>
				<Icon name="chevron" class="chevron" />
			</summary>
			{hasNone && (
				<p class="hint">
					Events are kept: set a URL here, or run with <code>--forward-to</code>, and redeliver what you need.
				</p>
			)}
			<DestinationForm current={current} />
		</details>
	);
}

function DestinationForm({ current }: { current: Snapshot["destinations"] }) {
	const { act } = useConsole();
	const [inbound, setInbound] = useState(current.inboundWebhookUrl ?? "");
	const [status, setStatus] = useState(current.statusWebhookUrl ?? "");
	return (
		<form
			class="stack"
			onSubmit={(event) => {
				event.preventDefault();
				void act(
					{ type: "destinations", inboundWebhookUrl: inbound.trim(), statusWebhookUrl: status.trim() },
					"Webhook URLs saved.",
				);
			}}
		>
			<UrlField label="inboundWebhookUrl: messages and reactions" value={inbound} onValue={setInbound} />
			<UrlField
				label="statusWebhookUrl: statuses, unless a message has its own callback"
				value={status}
				onValue={setStatus}
			/>
			<div class="dialog-actions">
				<button type="submit">Save</button>
			</div>
		</form>
	);
}

function UrlField(props: { label: string; value: string; onValue: (value: string) => void }) {
	return (
		<Field label={props.label}>
			<input
				type="url"
				placeholder="http://localhost:3000/webhooks"
				value={props.value}
				onInput={(event) => props.onValue(event.currentTarget.value)}
			/>
		</Field>
	);
}

function summarizeUrls({ inboundWebhookUrl, statusWebhookUrl }: Snapshot["destinations"]): string {
	if (inboundWebhookUrl === statusWebhookUrl || statusWebhookUrl === null) return inboundWebhookUrl ?? "";
	return inboundWebhookUrl === null ? statusWebhookUrl : `${inboundWebhookUrl} and another`;
}
