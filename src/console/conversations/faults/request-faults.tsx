import { useState } from "preact/hooks";
import type { FaultTimes, RequestFaultChoice } from "../../../control/contract.ts";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { Choice, FaultRow, NumberInput } from "./fault-row.tsx";
import { OPERATION_IDS } from "./operations.ts";
import { TimesInput } from "./times-input.tsx";

const ANY = "any operation";
const OPERATIONS = [ANY, ...OPERATION_IDS] as const;

/** Arms faults of the next requests. */
export function RequestFaults() {
	const { act } = useConsole();
	const [times, setTimes] = useState<FaultTimes>(1);
	const [operation, setOperation] = useState<(typeof OPERATIONS)[number]>(ANY);
	const arm = (fault: RequestFaultChoice): void => {
		const filter = operation === ANY ? { times } : { times, operationId: operation };
		// A wrong clock affects all requests.
		void act({ type: "request_fault", fault, ...(fault.kind === "skew" ? {} : filter) });
	};
	return (
		<Card title="Requests">
			<TimesInput what="requests" times={times} onTimes={setTimes} />
			<div class="times">
				<span>of</span>
				<Choice label="Operation" options={OPERATIONS} value={operation} onValue={setOperation} />
			</div>
			<ul class="rows fault-rows">
				<ResponseFault onArm={arm} />
				<DelayFault onArm={arm} />
				<DropFault onArm={arm} />
				<CorruptFault onArm={arm} />
				<SkewFault onArm={arm} />
			</ul>
		</Card>
	);
}

interface FaultProps {
	onArm: (fault: RequestFaultChoice) => void;
}

const STATUSES = ["500", "429", "503", "502", "504", "408", "401", "403", "404", "409", "400"] as const;

function ResponseFault({ onArm }: FaultProps) {
	const [status, setStatus] = useState<(typeof STATUSES)[number]>("500");
	const [retryAfterSeconds, setRetryAfterSeconds] = useState(0);
	const retry = retryAfterSeconds === 0 ? {} : { retryAfterSeconds };
	return (
		<FaultRow
			title="Another response"
			hint="The gateway never sees the request."
			onArm={() => onArm({ kind: "respond", status: Number(status), ...retry })}
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

function DelayFault({ onArm }: FaultProps) {
	const [ms, setMs] = useState(2_000);
	return (
		<FaultRow
			title="A late response"
			hint="Measured on the gateway's clock."
			onArm={() => onArm({ kind: "delay", ms })}
		>
			<NumberInput label="Delay in milliseconds" unit="ms" value={ms} onValue={setMs} />
		</FaultRow>
	);
}

function DropFault({ onArm }: FaultProps) {
	const [when, setWhen] = useState<"before" | "after">("after");
	return (
		<FaultRow
			title="A broken connection"
			hint="Before the gateway sees the request, or after it was carried out."
			onArm={() => onArm({ kind: "drop", when })}
		>
			<Choice label="When" options={["before", "after"]} value={when} onValue={setWhen} />
		</FaultRow>
	);
}

function CorruptFault({ onArm }: FaultProps) {
	const [as, setAs] = useState<"html" | "truncated" | "empty">("html");
	return (
		<FaultRow
			title="A corrupt response"
			hint="Carried out, but the response is an HTML page, truncated JSON or empty."
			onArm={() => onArm({ kind: "corrupt", as })}
		>
			<Choice label="Response body" options={["html", "truncated", "empty"]} value={as} onValue={setAs} />
		</FaultRow>
	);
}

function SkewFault({ onArm }: FaultProps) {
	const [seconds, setSeconds] = useState(600);
	return (
		<FaultRow
			title="A wrong clock"
			hint="For all requests until it is cleared; negative is behind."
			onArm={() => onArm({ kind: "skew", ms: seconds * 1_000 })}
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
