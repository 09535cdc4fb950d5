import { useConsole } from "../console-context.ts";

const STEPS = [
	{ ms: 60_000, words: "+1 min" },
	{ ms: 300_000, words: "+5 min" },
	{ ms: 3_600_000, words: "+1 h" },
] as const;

/** Buttons that advance the gateway's clock by common spans. */
export function AdvanceButtons() {
	const { act } = useConsole();
	return (
		<span class="advance-buttons">
			{STEPS.map(({ ms, words }) => (
				<button key={ms} type="button" onClick={() => void act({ type: "advance_clock", ms })}>
					<span class="visually-hidden">Advance the clock: </span>
					{words}
				</button>
			))}
		</span>
	);
}
