import type { Agent } from "../../../../library/catalogue/agents.ts";
import { useConsole } from "../console-context.ts";
import { Card, Switch } from "../controls.tsx";
import type { GatewayState } from "../state/gateway-state.ts";

/** The agents, each with an online switch. */
export function AgentsTool({ gateway }: { gateway: GatewayState }) {
	return (
		<>
			<Card title="Agents">
				<p class="muted">While an agent is offline, its messages wait.</p>
				<ul class="rows agents">
					{Array.from(gateway.agents.values(), (agent) => (
						<AgentRow key={agent.agentNumber} agent={agent} />
					))}
				</ul>
			</Card>
			<Card title="Client settings">
				<dl class="facts wide">
					<div>
						<dt class="muted">Base URL</dt>
						<dd>
							<code>{gateway.baseUrl}</code>
						</dd>
					</div>
					<div>
						<dt class="muted">App ID</dt>
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
				{name !== null && <bdi class="muted">{name}</bdi>}
				<span class="muted">{mappingCount === 1 ? "1 mapping" : `${mappingCount} mappings`}</span>
				{blockedReason !== null && (
					<span class="muted">
						Blocked: <bdi>{blockedReason}</bdi>
					</span>
				)}
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
