import { useEffect, useState } from "preact/hooks";
import { type GatewayClock, gatewayNow } from "../state/clock.ts";

/** The gateway's time, anew at the beginning of each of its seconds while something on the page shows it. */
export function useNow(clock: GatewayClock): number {
	const [steadyNow, setSteadyNow] = useState(() => performance.now());
	// A reading that came since the last tick counts at once.
	const now = gatewayNow(clock, Math.max(steadyNow, clock.readAt));
	useEffect(() => {
		const toNextSecond = 1_000 - (now % 1_000);
		const timer = setTimeout(() => setSteadyNow(performance.now()), toNextSecond + 5);
		return () => clearTimeout(timer);
	}, [now]);
	return now;
}
