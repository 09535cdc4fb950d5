import { useEffect, useState } from "preact/hooks";
import { type GatewayClock, gatewayNow } from "../state/clock.ts";

/** The gateway's time, updated at the start of each second. */
export function useNow(clock: GatewayClock): number {
	const [steadyNow, setSteadyNow] = useState(() => performance.now());
	// A newer reading of the clock applies before the next tick.
	const now = gatewayNow(clock, Math.max(steadyNow, clock.readAt));
	useEffect(() => {
		const toNextSecond = 1_000 - (now % 1_000);
		const timer = setTimeout(() => setSteadyNow(performance.now()), toNextSecond + 5);
		return () => clearTimeout(timer);
	}, [now]);
	return now;
}
