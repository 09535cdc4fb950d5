import { useState } from "preact/hooks";
import type { FaultTimes } from "../../../control/action.ts";
import { WEBHOOK_FAULTS } from "../../../local-gateway/fault-kinds.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { FaultRows } from "./fault-form.tsx";
import { TimesInput } from "./times-input.tsx";

/** Adds faults of the next webhooks, to test the receiver. */
export function WebhookFaults() {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	return (
		<Card title="Webhooks">
			<TimesInput start="Disrupt the next" noun="webhook" times={times} onTimes={setTimes} />
			<FaultRows
				kinds={WEBHOOK_FAULTS}
				onAdd={(fault, { lasts }) => {
					const howOften = lasts === "once" && times === "always" ? 1 : times;
					void act({ type: "webhook_fault", fault, times: howOften });
				}}
			/>
		</Card>
	);
}
