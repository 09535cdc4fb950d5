import { useState } from "preact/hooks";
import type { Agent } from "../../../../library/catalogue/agents.ts";
import { ActionForm, Checkbox, TextField } from "../../parts/fields.tsx";
import { useConsole, useGateway } from "../console-context.ts";
import { Popover, useTask } from "../controls.tsx";
import { CopyVariables } from "../copy-variables.tsx";

/** The webhook URLs, the agents, the rules, what a client needs, and the reset. */
export function SettingsMenu({ onClose }: { onClose: () => void }) {
	const { act } = useConsole();
	const { baseUrl, appId, agents, areRulesOn } = useGateway();
	return (
		<>
			<section>
				<h2>Webhook URLs</h2>
				<DestinationForm />
			</section>
			<section>
				<h2>Agents</h2>
				<p class="muted">While an agent is offline, its messages wait.</p>
				{Array.from(agents.values(), (agent) => (
					<AgentRow key={agent.agentNumber} agent={agent} />
				))}
			</section>
			<section>
				<h2>Rules on what may be sent</h2>
				<Checkbox
					class="setting"
					label="Rules"
					isOn={areRulesOn}
					onChange={(areOn) => void act({ type: "rules", areOn })}
				>
					Duplicates and messages without a reply are limited
				</Checkbox>
			</section>
			<section>
				<h2>Client variables</h2>
				<p class="muted">
					Base URL <code>{baseUrl}</code>, App ID <code>{appId}</code>
				</p>
				<div class="actions">
					<CopyVariables />
					<Popover label="Reset the gateway?" icon="redeliver" text="Reset…">
						{(close) => (
							<>
								<h2>Reset the gateway?</h2>
								<p>
									Messages, mappings, requests, webhooks and faults are deleted, and the agents are as they
									were at the start. The clock returns to this machine's time.
								</p>
								<button
									type="button"
									class="primary danger"
									onClick={() => {
										close();
										onClose();
										void act({ type: "reset" });
									}}
								>
									Reset
								</button>
							</>
						)}
					</Popover>
				</div>
			</section>
		</>
	);
}

const DESTINATIONS = [
	["inboundWebhookUrl", "messages and reactions"],
	["statusWebhookUrl", "statuses, unless a message has its own callback"],
] as const;

function DestinationForm() {
	const { client } = useConsole();
	const { word, run } = useTask();
	const { destinations } = useGateway();
	const [urls, setUrls] = useState(destinations);
	return (
		<ActionForm
			class="stack"
			onSubmit={() => void run(() => client.act({ type: "destinations", ...urls }), "Saved")}
		>
			{DESTINATIONS.map(([name, events]) => (
				<TextField
					key={name}
					label={`${name}: ${events}`}
					isUrl
					placeholder="http://localhost:3000/webhooks"
					value={urls[name] ?? ""}
					onInput={(url) => setUrls({ ...urls, [name]: url.trim() })}
				/>
			))}
			<div class="dialog-actions beside">
				<button type="submit">
					<span aria-live="polite">{word}</span>
					{word === undefined && "Save"}
				</button>
			</div>
		</ActionForm>
	);
}

function AgentRow({ agent }: { agent: Agent }) {
	const { act } = useConsole();
	const { agentNumber, name, status, blockedReason, mappingCount } = agent;
	const isOnline = status === "online";
	return (
		<Checkbox
			class="setting"
			label={`${agentNumber} is online`}
			isOn={isOnline}
			isDisabled={status === "blocked"}
			onChange={(isNowOnline) => void act({ type: "agent_online", agentNumber, isOnline: isNowOnline })}
		>
			<strong>{agentNumber}</strong> {name !== null && <bdi>{name}</bdi>}{" "}
			<span class={isOnline ? "good" : "warn"}>{status}</span>, {mappingCount}{" "}
			{mappingCount === 1 ? "mapping" : "mappings"}
			{blockedReason !== null && <bdi>. Blocked: {blockedReason}</bdi>}
		</Checkbox>
	);
}
