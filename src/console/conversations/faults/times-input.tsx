import type { FaultTimes } from "../../../control/contract.ts";
import { NumberInput } from "./fault-row.tsx";

/** How often the faults below apply: a number of times, or until they are cleared. */
export function TimesInput(props: { what: string; times: FaultTimes; onTimes: (times: FaultTimes) => void }) {
	const { what, times, onTimes } = props;
	const isAlways = times === "always";
	return (
		<div class="times">
			<span>Affect the next</span>
			<NumberInput
				label={`How many ${what}`}
				min={1}
				value={isAlways ? 1 : times}
				onValue={(value) => onTimes(Math.max(1, Math.floor(value)))}
			/>
			<span>{what}, or</span>
			<label class="check">
				<input
					type="checkbox"
					checked={isAlways}
					onChange={({ currentTarget }) => onTimes(currentTarget.checked ? "always" : 1)}
				/>
				all of them until cleared
			</label>
		</div>
	);
}
