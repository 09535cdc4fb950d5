import { useState } from "preact/hooks";
import type { FaultTimes } from "../../../control/contract.ts";
import type { WebhookFaultChoice } from "../../../local-gateway/webhook-faults.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { FaultRow, NumberInput } from "./fault-row.tsx";
import { TimesInput } from "./times-input.tsx";

const FAULTS = [
	{ fault: "tamper", title: "Altered body", hint: "Changed after it was signed." },
	{ fault: "wrong_signature", title: "Wrong signature", hint: "Signed with a different secret." },
	{ fault: "stale", title: "Old timestamp", hint: "Two days old, as in a replay." },
	{ fault: "out_of_order", title: "Out of order", hint: "Two webhooks of the same message swap places." },
] as const;

/** Adds faults of the next webhooks, to test the receiver. */
export function WebhookFaults() {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	const [lateMs, setLateMs] = useState(10_000);
	const add = (fault: WebhookFaultChoice, howOften = times): void => {
		void act({ type: "webhook_fault", fault, times: howOften });
	};
	return (
		<Card title="Webhooks">
			<TimesInput start="Disrupt the next" noun="webhook" times={times} onTimes={setTimes} />
			<ul class="rows fault-rows">
				{FAULTS.map(({ fault, title, hint }) => (
					<FaultRow key={fault} title={title} hint={hint} onAdd={() => add(fault)} />
				))}
				<FaultRow
					title="Duplicate"
					hint="The next event is delivered that many more times, with the same id."
					// "always" would repeat without end.
					onAdd={() => add("repeat", times === "always" ? 1 : times)}
				/>
				<FaultRow
					title="Delayed"
					hint="Delivered after a delay."
					onAdd={() => add({ kind: "delay", ms: lateMs })}
				>
					<NumberInput label="Delay in milliseconds" unit="ms" value={lateMs} onValue={setLateMs} />
				</FaultRow>
			</ul>
		</Card>
	);
}
