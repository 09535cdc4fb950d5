import { useNow } from "../hooks/use-now.ts";
import type { GatewayClock } from "../state/clock.ts";

/** The agent's typing indicator, until it expires. */
export function TypingBubble({ until, clock }: { until: number; clock: GatewayClock }) {
	const now = useNow(clock);
	if (now >= until) return null;
	return (
		<div class="bubble-row from-agent is-first typing-row">
			<div class="bubble typing" role="img" aria-label="The agent is typing">
				<span />
				<span />
				<span />
			</div>
		</div>
	);
}
