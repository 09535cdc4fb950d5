import { useState } from "preact/hooks";
import { useConsole } from "../console-context.ts";
import { Card } from "../controls.tsx";
import { useNow } from "../hooks/use-now.ts";
import { describeOffset, formatTime, type GatewayClock } from "../state/clock.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { nameDay } from "../state/thread-items.ts";
import { AdvanceButtons } from "./advance-buttons.tsx";
import { DuplicateWindows } from "./duplicate-windows.tsx";

/** The gateway's clock, which can be advanced, and the open duplicate windows. */
export function ClockTool({ gateway }: { gateway: GatewayState }) {
	const windows = [...gateway.conversations.values()].flatMap((conversation) => conversation.windows);
	return (
		<>
			<Card title="The gateway's time">
				<Time clock={gateway.clock} />
				<AdvanceButtons />
				<CustomAdvance />
				<p class="muted">
					It only moves forward, and runs everything due: statuses, replies, webhook retries, and the end of
					windows. A reset of the gateway returns it to this machine's time.
				</p>
			</Card>
			<Card title="Open duplicate windows">
				<DuplicateWindows windows={windows} messages={gateway.messages} clock={gateway.clock} />
			</Card>
		</>
	);
}

function Time({ clock }: { clock: GatewayClock }) {
	const now = useNow(clock);
	return (
		<p class="big-time">
			<time dateTime={new Date(now).toISOString()}>{formatTime(now)}</time>
			<span class="muted">
				{nameDay(now, Date.now())}, {describeOffset(clock.offsetMs) ?? "as on this machine"}
			</span>
		</p>
	);
}

const UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
const UNIT_NAMES = ["seconds", "minutes", "hours", "days"] as const;

function CustomAdvance() {
	const { act } = useConsole();
	const [amount, setAmount] = useState("30");
	const [unit, setUnit] = useState<keyof typeof UNITS>("minutes");
	return (
		<form
			class="custom-advance"
			onSubmit={(event) => {
				event.preventDefault();
				void act({ type: "advance_clock", ms: Number(amount) * UNITS[unit] });
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
			<select
				aria-label="Unit"
				value={unit}
				onChange={({ currentTarget }) =>
					setUnit(UNIT_NAMES.find((name) => name === currentTarget.value) ?? "minutes")
				}
			>
				{UNIT_NAMES.map((name) => (
					<option key={name}>{name}</option>
				))}
			</select>
			<button type="submit">Advance</button>
		</form>
	);
}
