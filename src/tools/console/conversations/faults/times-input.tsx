import type { ComponentChildren } from "preact";
import type { FaultTimes } from "../../../control/action.ts";
import { NumberInput } from "./inputs.tsx";

/** How often the faults below occur, as a sentence: a number of times, or until they are cleared. */
export function TimesInput(props: {
	/** The sentence before the number. */
	start: string;
	noun: string;
	times: FaultTimes;
	onTimes: (times: FaultTimes) => void;
	/** The sentence after the noun. */
	children?: ComponentChildren;
}) {
	const { start, noun, times, onTimes } = props;
	const isAlways = times === "always";
	const count = isAlways ? 1 : times;
	return (
		<>
			<div class="times">
				<span>{start}</span>
				<NumberInput
					label={`Number of ${noun}s`}
					min={1}
					value={count}
					isDisabled={isAlways}
					onValue={(value) => onTimes(Math.max(1, Math.floor(value)))}
				/>
				<span>
					{noun}
					{count === 1 ? "" : "s"}
				</span>
				{props.children}
			</div>
			<label class="check">
				<input
					type="checkbox"
					checked={isAlways}
					onChange={({ currentTarget }) => onTimes(currentTarget.checked ? "always" : 1)}
				/>
				Every {noun} until cleared
			</label>
		</>
	);
}
