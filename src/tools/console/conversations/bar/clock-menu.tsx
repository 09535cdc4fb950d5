import { useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { Choice } from "../controls.tsx";
import { useNow } from "../hooks/use-now.ts";
import { Popover } from "../popover.tsx";
import { describeOffset, formatTime, type GatewayClock, nameDay } from "../state/clock.ts";

const UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
const UNIT_NAMES = ["seconds", "minutes", "hours", "days"] as const;

const STEPS = [
	{ ms: 300_000, words: "+5 min" },
	{ ms: 3_600_000, words: "+1 h" },
	{ ms: 86_400_000, words: "+24 h" },
] as const;

export function ClockMenu({ clock }: { clock: GatewayClock }) {
	const now = useNow(clock);
	const offset = describeOffset(clock.offsetMs);
	return (
		<Popover
			label="Clock"
			icon="clock"
			text={
				<>
					<span class="visually-hidden">Gateway time </span>
					<time dateTime={new Date(now).toISOString()}>{formatTime(now)}</time>{" "}
					{offset !== null && <span class="offset">{offset}</span>}
				</>
			}
		>
			{() => <AdvanceForm now={now} offset={offset} />}
		</Popover>
	);
}

function AdvanceForm({ now, offset }: { now: number; offset: string | null }) {
	const { act } = useConsole();
	const [amount, setAmount] = useState("30");
	const [unit, setUnit] = useState<keyof typeof UNITS>("minutes");
	const advance = (ms: number): void => void act({ type: "advance_clock", ms });
	return (
		<>
			<h2>The gateway's time</h2>
			<p>
				{nameDay(now, Date.now())}, {formatTime(now)}, {offset ?? "as on this machine"}
			</p>
			<div class="actions">
				{STEPS.map(({ ms, words }) => (
					<button key={ms} type="button" onClick={() => advance(ms)}>
						<span class="visually-hidden">Advance the clock: </span>
						{words}
					</button>
				))}
			</div>
			<form
				class="actions"
				onSubmit={(event) => {
					event.preventDefault();
					advance(Number(amount) * UNITS[unit]);
				}}
			>
				<input
					type="number"
					required
					min={1}
					aria-label="Amount of time"
					value={amount}
					onInput={(event) => setAmount(event.currentTarget.value)}
				/>
				<Choice label="Unit" options={UNIT_NAMES} value={unit} onValue={setUnit} />
				<button type="submit">Advance</button>
			</form>
			<p class="muted">
				It only moves forward, and runs everything due: statuses, replies, webhook retries, and the end of
				windows. A reset of the gateway returns it to this machine's time.
			</p>
		</>
	);
}
