import { useState } from "preact/hooks";
import type { OperationId } from "../../../../library/catalogue/index.ts";
import type { FaultTimes } from "../../../control/action.ts";
import { REQUEST_FAULTS } from "../../../local-gateway/fault-kinds.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { FaultRows } from "./fault-form.tsx";
import { Choice } from "./inputs.tsx";
import { TimesInput } from "./times-input.tsx";

const ANY = "any operation";

/** Adds faults of the next requests. */
export function RequestFaults({ operationIds }: { operationIds: readonly OperationId[] }) {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	const [operation, setOperation] = useState<OperationId | typeof ANY>(ANY);
	const filter = operation === ANY ? { times } : { times, operationId: operation };
	return (
		<Card title="Requests">
			<TimesInput start="Fail the next" noun="request" times={times} onTimes={setTimes}>
				<span>to</span>
				<Choice label="Operation" options={[ANY, ...operationIds]} value={operation} onValue={setOperation} />
			</TimesInput>
			<FaultRows
				kinds={REQUEST_FAULTS}
				onAdd={(fault, { lasts }) =>
					void act({ type: "request_fault", fault, ...(lasts === "on" ? {} : filter) })
				}
			/>
		</Card>
	);
}
