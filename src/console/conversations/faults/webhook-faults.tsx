import { useState } from "preact/hooks";
import type { FaultTimes, WebhookFaultChoice } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { FaultRow, NumberInput } from "./fault-row.tsx";
import { TimesInput } from "./times-input.tsx";

const FAULTS = [
	{ fault: "tamper", title: "A changed body", hint: "Changed after it was signed." },
	{ fault: "wrong_signature", title: "A wrong signature", hint: "Signed with another secret." },
	{ fault: "stale", title: "A stale timestamp", hint: "An hour old: a replay." },
	{ fault: "out_of_order", title: "Out of order", hint: "Two deliveries of a message swap their order." },
] as const;

/** Arms faults of the next webhooks, to test the receiver. */
export function WebhookFaults() {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	const [lateMs, setLateMs] = useState(10_000);
	const arm = (fault: WebhookFaultChoice, howOften = times): void => {
		void act({ type: "webhook_fault", fault, times: howOften });
	};
	return (
		<Card title="Webhooks">
			<TimesInput what="webhooks" times={times} onTimes={setTimes} />
			<ul class="rows fault-rows">
				{FAULTS.map(({ fault, title, hint }) => (
					<FaultRow key={fault} title={title} hint={hint} onArm={() => arm(fault)} />
				))}
				<FaultRow
					title="Repeated"
					hint="The next event is delivered again, as often as above, with the same id."
					// "always" would repeat without end.
					onArm={() => arm("repeat", times === "always" ? 1 : times)}
				/>
				<FaultRow
					title="Late"
					hint="Delivered after a delay."
					onArm={() => arm({ kind: "delay", ms: lateMs })}
				>
					<NumberInput label="Delay in milliseconds" unit="ms" value={lateMs} onValue={setLateMs} />
				</FaultRow>
			</ul>
		</Card>
	);
}
