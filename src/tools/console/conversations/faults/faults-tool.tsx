import type { OperationId } from "../../../../library/catalogue/index.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { RequestFaults } from "./request-faults.tsx";
import { WebhookFaults } from "./webhook-faults.tsx";

/** Adds faults of requests and webhooks. */
export function FaultsTool({
	active,
	operationIds,
}: {
	active: readonly string[];
	operationIds: readonly OperationId[];
}) {
	return (
		<>
			<ActiveFaults active={active} />
			<RequestFaults operationIds={operationIds} />
			<WebhookFaults />
		</>
	);
}

function ActiveFaults({ active }: { active: readonly string[] }) {
	const { act } = useConsole();
	const clear = (
		<button
			type="button"
			disabled={active.length === 0}
			onClick={() => void act({ type: "clear_faults" }, "Faults cleared.")}
		>
			Clear all
		</button>
	);
	return (
		<Card title="Active" side={clear}>
			{active.length === 0 ? (
				<p class="muted">No active faults.</p>
			) : (
				<ul class="rows active-faults">
					{active.map((words) => (
						<li key={words}>
							<Icon name="fault" class="warn" /> {words}
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
