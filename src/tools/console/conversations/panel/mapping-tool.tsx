import type { ConversationView } from "../../../control/contract.ts";
import { Card } from "../controls.tsx";
import { formatTime } from "../state/clock.ts";
import { titleOf } from "../state/conversations.ts";
import type { GatewayState } from "../state/gateway-state.ts";
import { nameDay } from "../state/thread-items.ts";
import { DuplicateWindows } from "./duplicate-windows.tsx";

/** The mapping of the selected conversation: its agent, counters and duplicate windows. */
export function MappingTool({
	gateway,
	conversation,
}: {
	gateway: GatewayState;
	conversation: ConversationView | null;
}) {
	if (conversation === null) {
		return <p class="muted empty">Choose a conversation to see its mapping and its counters.</p>;
	}
	const { counters } = conversation;
	const when = (unixMs: number | null): string => describeWhen(unixMs, gateway.clock.now);
	return (
		<>
			<Card title={titleOf(conversation)} side={<span class="muted">agent {conversation.agentNumber}</span>}>
				<dl class="facts counts">
					<Fact name="Outbound" value={String(counters.outbound)} />
					<Fact name="Inbound" value={String(counters.inbound)} />
				</dl>
				<Consecutive counters={counters} rule={gateway.consecutive} />
				<dl class="facts">
					<Fact name="Mapping created" value={when(counters.createdAt)} />
					<Fact name="Last message from the contact" value={when(counters.lastReceivedAt)} />
					<Fact name="Last reply from the contact" value={when(counters.lastRespondedAt)} />
					<Fact name="Last warning" value={when(counters.lastWarningSentAt)} />
				</dl>
			</Card>
			<Card title="Duplicate windows">
				<DuplicateWindows windows={conversation.windows} messages={gateway.messages} clock={gateway.clock} />
			</Card>
		</>
	);
}

/** The number of outbound messages without a reply, and its limit. */
function Consecutive(props: { counters: ConversationView["counters"]; rule: GatewayState["consecutive"] }) {
	const { consecutiveCount, maxConsecutiveMessages } = props.counters;
	if (props.rule === "off") return <Unlimited consecutiveCount={consecutiveCount} />;
	const isFull = consecutiveCount >= maxConsecutiveMessages;
	return (
		<div class="consecutive">
			<div class="consecutive-words">
				<span id="consecutive-label">Messages without a reply</span>
				<strong class={isFull ? "bad" : undefined}>
					{consecutiveCount} / {maxConsecutiveMessages}
				</strong>
			</div>
			<progress
				class={isFull ? "is-full" : undefined}
				aria-labelledby="consecutive-label"
				max={maxConsecutiveMessages}
				value={Math.min(consecutiveCount, maxConsecutiveMessages)}
			/>
			{isFull && <p class="bad">{AT_THE_LIMIT[props.rule]}</p>}
		</div>
	);
}

const AT_THE_LIMIT = {
	enforce: "The next send is blocked until the contact writes.",
	warn: "The next send is accepted, but recorded as a warning.",
} as const;

function Unlimited({ consecutiveCount }: { consecutiveCount: number }) {
	return (
		<div class="consecutive">
			<div class="consecutive-words">
				<span>Messages without a reply</span>
				<strong>{consecutiveCount}</strong>
			</div>
			<p class="muted">No limit: the rule is off.</p>
		</div>
	);
}

function Fact({ name, value }: { name: string; value: string }) {
	return (
		<div>
			<dt class="muted">{name}</dt>
			<dd>{value}</dd>
		</div>
	);
}

function describeWhen(unixMs: number | null, now: number): string {
	if (unixMs === null) return "never";
	const day = nameDay(unixMs, now);
	return day === "Today" ? formatTime(unixMs) : `${day}, ${formatTime(unixMs)}`;
}
