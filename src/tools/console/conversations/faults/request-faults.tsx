import { useState } from "preact/hooks";
import type { FaultTimes } from "../../../control/contract.ts";
import type { RequestFaultChoice } from "../../../local-gateway/faults.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { Choice, FaultRow, NumberInput } from "./fault-row.tsx";
import { OPERATION_IDS } from "./operations.ts";
import { TimesInput } from "./times-input.tsx";

const ANY = "any operation";
const OPERATIONS = [ANY, ...OPERATION_IDS] as const;

/** Adds faults of the next requests. */
export function RequestFaults() {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	const [operation, setOperation] = useState<(typeof OPERATIONS)[number]>(ANY);
	const add = (fault: RequestFaultChoice): void => {
		const filter = operation === ANY ? { times } : { times, operationId: operation };
		// Clock skew affects all requests.
		void act({ type: "request_fault", fault, ...(fault.kind === "skew" ? {} : filter) });
	};
	return (
		<Card title="Requests">
			<TimesInput start="Fail the next" noun="request" times={times} onTimes={setTimes}>
				<span>to</span>
				<Choice label="Operation" options={OPERATIONS} value={operation} onValue={setOperation} />
			</TimesInput>
			<ul class="rows fault-rows">
				<ResponseFault onAdd={add} />
				<DelayFault onAdd={add} />
				<DropFault onAdd={add} />
				<CorruptFault onAdd={add} />
				<SkewFault onAdd={add} />
			</ul>
		</Card>
	);
}

interface FaultProps {
	onAdd: (fault: RequestFaultChoice) => void;
}

const STATUSES = ["500", "429", "503", "502", "504", "408", "401", "403", "404", "409", "400"] as const;

function ResponseFault({ onAdd }: FaultProps) {
	const [status, setStatus] = useState<(typeof STATUSES)[number]>("500");
	const [retryAfterSeconds, setRetryAfterSeconds] = useState(0);
	const retry = retryAfterSeconds === 0 ? {} : { retryAfterSeconds };
	return (
		<FaultRow
			title="Error response"
			hint="Returned without processing the request."
			onAdd={() => onAdd({ kind: "respond", status: Number(status), ...retry })}
		>
			<Choice label="HTTP status" options={STATUSES} value={status} onValue={setStatus} />
			<NumberInput
				label="Retry-After in seconds, 0 for none"
				unit="s Retry-After"
				value={retryAfterSeconds}
				onValue={setRetryAfterSeconds}
			/>
		</FaultRow>
	);
}

function DelayFault({ onAdd }: FaultProps) {
	const [ms, setMs] = useState(2_000);
	return (
		<FaultRow
			title="Slow response"
			hint="Measured on the gateway's clock."
			onAdd={() => onAdd({ kind: "delay", ms })}
		>
			<NumberInput label="Delay in milliseconds" unit="ms" value={ms} onValue={setMs} />
		</FaultRow>
	);
}

function DropFault({ onAdd }: FaultProps) {
	const [when, setWhen] = useState<"before" | "after">("after");
	return (
		<FaultRow
			title="Dropped connection"
			hint="Before the request is processed, or after."
			onAdd={() => onAdd({ kind: "drop", when })}
		>
			<Choice label="When" options={["before", "after"]} value={when} onValue={setWhen} />
		</FaultRow>
	);
}

function CorruptFault({ onAdd }: FaultProps) {
	const [as, setAs] = useState<"html" | "truncated" | "empty">("html");
	return (
		<FaultRow
			title="Corrupt response"
			hint="The request is processed; the response is an HTML page, truncated JSON, or empty."
			onAdd={() => onAdd({ kind: "corrupt", as })}
		>
			<Choice label="Response body" options={["html", "truncated", "empty"]} value={as} onValue={setAs} />
		</FaultRow>
	);
}

function SkewFault({ onAdd }: FaultProps) {
	const [seconds, setSeconds] = useState(600);
	return (
		<FaultRow
			title="Clock skew"
			hint="Applies to every request until cleared. A negative number is behind."
			onAdd={() => onAdd({ kind: "skew", ms: seconds * 1_000 })}
		>
			<NumberInput
				label="Seconds ahead"
				unit="s ahead"
				min={-1_000_000}
				value={seconds}
				onValue={setSeconds}
			/>
		</FaultRow>
	);
}
