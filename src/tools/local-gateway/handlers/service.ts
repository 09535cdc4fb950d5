import type { AgentQueue } from "../../../library/catalogue/queue.ts";
import { setDestinations } from "../destinations.ts";
import type { Handlers } from "../run-operation.ts";
import type { World } from "../world.ts";

/** The operations on the service itself: settings, queue and health. */
export function serviceHandlers(world: World) {
	const { destinations } = world;
	return {
		"settings.setWebhooks": (input) => {
			setDestinations(world, input);
			return { ...destinations };
		},
		"settings.getWebhooks": () => ({ ...destinations }),
		"queue.getStatus": ({ agentNumber }) => {
			const agents = world.agents
				.all()
				.filter((agent) => agentNumber === undefined || agent.agentNumber === agentNumber);
			return describeQueue(world, agents);
		},
		"health.check": () => ({ status: "ok" }),
	} satisfies Partial<Handlers>;
}

/** A queued message is pending if its agent is offline, and processing otherwise. */
function describeQueue(
	{ messages, clock }: World,
	agents: readonly { readonly agentNumber: string; readonly isOnline: boolean }[],
) {
	const queues = new Map<string, AgentQueue>();
	for (const { agentNumber } of agents)
		queues.set(agentNumber, { agentNumber, pending: 0, processing: 0, failed: 0 });
	const offline = new Set(agents.filter(({ isOnline }) => !isOnline).map(({ agentNumber }) => agentNumber));
	let oldestPendingAgeMs: number | null = null;
	for (const { message } of messages.all()) {
		const queue = queues.get(message.from);
		if (queue === undefined) continue;
		if (message.status === "failed") queue.failed += 1;
		if (message.status !== "queued") continue;
		if (offline.has(message.from)) {
			queue.pending += 1;
			oldestPendingAgeMs ??= clock.now() - message.timestamp_ms;
		} else queue.processing += 1;
	}
	const all = [...queues.values()];
	const total = (count: "pending" | "processing" | "failed") =>
		all.reduce((sum, queue) => sum + queue[count], 0);
	return {
		pending: total("pending"),
		processing: total("processing"),
		failed: total("failed"),
		oldestPendingAgeMs,
		agents: all,
	};
}
