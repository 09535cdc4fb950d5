import { useState } from "preact/hooks";
import { ActionForm } from "../../parts/fields.tsx";
import { useConsole, useGateway, useNow } from "../console-context.ts";
import { Choice, NumberInput, Popover } from "../controls.tsx";
import { describeOffset, formatTime, nameDay } from "../state/clock.ts";

const UNIT_MS = new Map([
	["seconds", 1_000],
	["minutes", 60_000],
	["hours", 3_600_000],
	["days", 86_400_000],
]);

const STEPS = { "+5 min": 300_000, "+1 h": 3_600_000, "+24 h": 86_400_000 } as const;

export function ClockMenu() {
	const now = useNow();
	const offset = describeOffset(useGateway().clock.offsetMs);
	return (
		<Popover
			label="Clock"
			icon="clock"
			text={
				<>
					<span class="visually-hidden">Gateway time </span>
					<time dateTime={new Date(now).toISOString()}>{formatTime(now)}</time>{" "}
					{offset !== null && <span class="muted">{offset}</span>}
				</>
			}
		>
			{() => <AdvanceForm now={now} offset={offset} />}
		</Popover>
	);
}

function AdvanceForm({ now, offset }: { now: number; offset: string | null }) {
	const { act } = useConsole();
	const [amount, setAmount] = useState(30);
	const [unit, setUnit] = useState("minutes");
	const advance = (ms: number): void => void act({ type: "advance_clock", ms });
	return (
		<>
			<h2>The gateway's time</h2>
			<p>
				{nameDay(now, Date.now())}, {formatTime(now)}, {offset ?? "as on this machine"}
			</p>
			<div class="actions">
				{Object.entries(STEPS).map(([words, ms]) => (
					<button key={ms} type="button" onClick={() => advance(ms)}>
						<span class="visually-hidden">Advance the clock: </span>
						{words}
					</button>
				))}
			</div>
			<ActionForm class="actions" onSubmit={() => advance(amount * (UNIT_MS.get(unit) ?? 0))}>
				<NumberInput label="Amount of time" min={1} value={amount} onValue={setAmount} />
				<Choice label="Unit" options={[...UNIT_MS.keys()]} value={unit} onValue={setUnit} />
				<button type="submit">Advance</button>
			</ActionForm>
			<p class="muted">
				It only moves forward, and runs everything due: statuses, replies, webhook retries, and the end of
				windows. A reset of the gateway returns it to this machine's time.
			</p>
		</>
	);
}
