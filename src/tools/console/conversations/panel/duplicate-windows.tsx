import type { MessageView, WindowView } from "../../../control/contract.ts";
import { useNow } from "../hooks/use-now.ts";
import { formatCountdown, type GatewayClock } from "../state/clock.ts";
import { summarize } from "../state/conversations.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { openWindows } from "../state/open-windows.ts";

/** The scope in which the same message is blocked. */
const SCOPES: Readonly<Record<WindowView["scope"], string>> = {
	contact: "to the contact",
	agent: "by the agent",
	account: "by the account",
};

/** The messages that cannot be sent again yet, with countdowns. */
export function DuplicateWindows(props: {
	windows: readonly WindowView[];
	messages: GatewayState["messages"];
	clock: GatewayClock;
}) {
	const now = useNow(props.clock);
	const groups = openWindows(props.windows, now);
	if (groups.length === 0) return <p class="muted">No open windows: no message is blocked as a duplicate.</p>;
	return (
		<ul class="rows windows">
			{groups.map(({ messageId, windows }) => {
				const message = props.messages.get(messageId);
				return (
					<li key={messageId}>
						<p class="window-text">
							<span class="visually-hidden">The same as </span>
							<bdi>{message === undefined ? "A message" : summarize(message)}</bdi>
						</p>
						{windows.map((window) => (
							<DuplicateWindow key={window.scope} window={window} message={message} now={now} />
						))}
					</li>
				);
			})}
		</ul>
	);
}

function DuplicateWindow(props: { window: WindowView; message: MessageView | undefined; now: number }) {
	const { window, message, now } = props;
	const leftMs = window.endsAt - now;
	return (
		<div class="window">
			<span class="muted">{SCOPES[window.scope]}</span>
			<progress
				aria-label={`Time left, ${SCOPES[window.scope]}`}
				max={Math.max(window.endsAt - (message?.timestamp_ms ?? now), leftMs)}
				value={leftMs}
			/>
			<strong>{formatCountdown(leftMs)}</strong>
		</div>
	);
}
