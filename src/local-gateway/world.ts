import type { AdjustableClock } from "./adjustable-clock.ts";
import { Agents } from "./agents.ts";
import { Conversations } from "./conversations.ts";
import { Deliveries } from "./deliveries.ts";
import { createDeliveryAttempt } from "./delivery-attempt.ts";
import { DuplicateWindows } from "./duplicates.ts";
import type { FaultPlan } from "./faults.ts";
import { Messages } from "./messages.ts";
import { Scheduler } from "./scheduler.ts";
import type { Settings } from "./settings.ts";

/** Where webhooks are registered to go; `null` where nobody wants them (specification, section 4.2). */
export interface Destinations {
	inboundWebhookUrl: string | null;
	statusWebhookUrl: string | null;
}

/** All that a gateway knows and does; a reset replaces it by a new one. */
export interface World {
	readonly settings: Settings;
	readonly clock: AdjustableClock;
	readonly scheduler: Scheduler;
	readonly agents: Agents;
	readonly conversations: Conversations;
	readonly messages: Messages;
	readonly duplicates: DuplicateWindows;
	readonly deliveries: Deliveries;
	readonly destinations: Destinations;
	/** A number that grows with each call: the order of everything in lists. */
	nextSequence(): number;
}

/** The address that stands for a function in `deliverTo`. */
const RECEIVER_URL = "http://receiver.localhost/webhooks";

/** Makes a world as it is at the start. */
export function createWorld(settings: Settings, clock: AdjustableClock, faults: FaultPlan): World {
	const { maxEntries, profile, webhookSecret, retryDelaysMs, deliverTo } = settings;
	const scheduler = new Scheduler(clock);
	const agents = new Agents(maxEntries);
	const receiver = typeof deliverTo === "function" ? deliverTo : undefined;
	const receiverUrl = receiver === undefined ? deliverTo : RECEIVER_URL;
	const attempt = createDeliveryAttempt({ clock, scheduler, webhookSecret, profile, receiver });
	let sequence = 0;
	const world: World = {
		settings,
		clock,
		scheduler,
		agents,
		conversations: new Conversations(maxEntries, (agentNumber, change) => {
			const agent = agents.find(agentNumber);
			if (agent !== undefined) agent.mappingCount += change;
		}),
		messages: new Messages(maxEntries),
		duplicates: new DuplicateWindows(settings.rules, maxEntries),
		deliveries: new Deliveries({
			clock,
			scheduler,
			faults: faults.webhooks,
			attempt,
			retryDelaysMs,
			maxEntries,
		}),
		destinations: {
			inboundWebhookUrl: typeof receiverUrl === "string" ? receiverUrl : null,
			statusWebhookUrl: typeof receiverUrl === "string" ? receiverUrl : null,
		},
		nextSequence: () => ++sequence,
	};
	for (const agentNumber of settings.agents) {
		agents.add({
			sequence: world.nextSequence(),
			agentNumber,
			name: null,
			createdAt: clock.now(),
			maxConsecutiveMessages: undefined,
		});
	}
	return world;
}
