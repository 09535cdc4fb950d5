import type { Agent } from "../../../catalogue/agents.ts";
import { useConsole } from "../console-context.ts";
import { Card, Switch } from "../controls.tsx";
import type { GatewayState } from "../state/gateway-state.ts";

/** The agents, each with an online switch. */
export function AgentsTool({ gateway }: { gateway: GatewayState }) {
	return (
		<>
			<Card title="Agents">
				<p class="muted">Messages of an offline agent wait until it is online again.</p>
				<ul class="rows agents">
					{Array.from(gateway.agents.values(), (agent) => (
						<AgentRow key={agent.agentNumber} agent={agent} />
					))}
				</ul>
			</Card>
			<Card title="For a client">
				<dl class="facts wide">
					<div>
						<dt class="muted">Base URL</dt>
						<dd>
							<code>{gateway.baseUrl}</code>
						</dd>
					</div>
					<div>
						<dt class="muted">App id</dt>
						<dd>
							<code>{gateway.appId}</code>
						</dd>
					</div>
				</dl>
			</Card>
		</>
	);
}

function AgentRow({ agent }: { agent: Agent }) {
	const { act } = useConsole();
	const { agentNumber, name, status, blockedReason, mappingCount } = agent;
	const isBlocked = status === "blocked";
	return (
		<li>
			<span class="agent-names">
				<strong>{agentNumber}</strong>
				{name !== null && <span class="muted">{name}</span>}
				<span class="muted">{mappingCount === 1 ? "1 mapping" : `${mappingCount} mappings`}</span>
				{blockedReason !== null && <span class="muted">Blocked: {blockedReason}</span>}
			</span>
			<span class={status === "online" ? "good" : isBlocked ? "bad" : "warn"}>{status}</span>
			<Switch
				label={`${agentNumber} is online`}
				isOn={status === "online"}
				disabled={isBlocked}
				onChange={(isOnline) => void act({ type: "agent_online", agentNumber, isOnline })}
			/>
		</li>
	);
}
