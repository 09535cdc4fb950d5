import type { ConversationView, WindowView } from "../../../control/contract.ts";
import { useConsole, useGateway, useNow } from "../console-context.ts";
import { Popover, Toolbar } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { formatCountdown, formatTime, nameDay } from "../state/clock.ts";
import { summarizeMessage } from "../state/conversations.ts";
import type { Entry } from "../state/entries.ts";

/** What can be seen and done of a conversation as a whole. */
export function ConversationHeader(props: {
	conversation: ConversationView;
	entries: readonly Entry[];
	persona: string;
}) {
	const { conversation, entries, persona } = props;
	const { act } = useConsole();
	const isUnread = entries.some(
		(entry) =>
			entry.kind === "message" &&
			entry.message.outbound &&
			(entry.message.status === "sent" || entry.message.status === "delivered"),
	);
	return (
		<Toolbar label="Conversation" class="actions header-actions">
			<Popover label="Mapping" icon="mapping" text="Mapping">
				{() => <Mapping conversation={conversation} />}
			</Popover>
			<button type="button" disabled={!isUnread} onClick={() => void act({ type: "read", from: persona })}>
				<Icon name="read" /> <span>Mark as read</span>
			</button>
		</Toolbar>
	);
}

/** The mapping of a conversation: its counters and its duplicate windows. */
function Mapping({ conversation }: { conversation: ConversationView }) {
	const { counters, agentNumber } = conversation;
	const { consecutive, areRulesOn, clock } = useGateway();
	const { consecutiveCount, maxConsecutiveMessages } = counters;
	const rule = areRulesOn ? consecutive : "off";
	const isFull = consecutiveCount >= maxConsecutiveMessages;
	const when = (unixMs: number | null): string => describeWhen(unixMs, clock.now);
	const facts = [
		["Outbound", counters.outbound],
		["Inbound", counters.inbound],
		[
			"Without a reply",
			rule === "off" ? consecutiveCount : `${consecutiveCount} / ${maxConsecutiveMessages}`,
		],
		["Mapping created", when(counters.createdAt)],
		["Last message from the contact", when(counters.lastReceivedAt)],
		["Last reply from the contact", when(counters.lastRespondedAt)],
		["Last warning", when(counters.lastWarningSentAt)],
	] as const;
	return (
		<>
			<h3>Mapping to agent {agentNumber}</h3>
			<dl class="facts">
				{facts.map(([name, value]) => (
					<div key={name}>
						<dt class="muted">{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
			{rule === "off" && <p class="muted">No limit: the rule is off.</p>}
			{rule === "enforce" && isFull && <p class="bad">The next send is blocked until the contact writes.</p>}
			{rule === "warn" && isFull && <p class="bad">The next send is accepted, but recorded as a warning.</p>}
			<h3>Duplicate windows</h3>
			<DuplicateWindows windows={conversation.windows} />
		</>
	);
}

const SCOPES = { contact: "to the contact", agent: "by the agent", account: "by the account" } as const;

function DuplicateWindows({ windows }: { windows: readonly WindowView[] }) {
	const { messages } = useGateway();
	const now = useNow();
	const open = windows.filter(({ endsAt }) => endsAt > now).sort((left, right) => right.endsAt - left.endsAt);
	if (open.length === 0) return <p class="muted">No open windows: no message is blocked as a duplicate.</p>;
	return (
		<ul class="rows">
			{open.map(({ messageId, scope, endsAt }) => {
				const message = messages.get(messageId);
				return (
					<li key={`${messageId} ${scope}`} class="setting beside">
						<span>
							<bdi>{message === undefined ? "A message" : summarizeMessage(message)}</bdi>{" "}
							<span class="muted">{SCOPES[scope]}</span>
						</span>
						<strong>{formatCountdown(endsAt - now)}</strong>
					</li>
				);
			})}
		</ul>
	);
}

function describeWhen(unixMs: number | null, now: number): string {
	if (unixMs === null) return "never";
	const day = nameDay(unixMs, now);
	return day === "Today" ? formatTime(unixMs) : `${day}, ${formatTime(unixMs)}`;
}
