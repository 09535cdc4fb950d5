import type { AdjustableClock } from "./adjustable-clock.ts";
import { Agents } from "./agents.ts";
import type { ChangeSink } from "./change-feed.ts";
import { Conversations } from "./conversations.ts";
import { Deliveries, type WebhookEventDetails } from "./deliveries.ts";
import { createDeliveryAttempt } from "./delivery-attempt.ts";
import { type Destinations, destinationOf, receiverUrl } from "./destinations.ts";
import { DuplicateWindows } from "./duplicates.ts";
import type { FaultPlan } from "./faults.ts";
import { History } from "./history.ts";
import { KeptAttachments } from "./kept-attachments.ts";
import { Messages } from "./messages.ts";
import { Scheduler } from "./scheduler.ts";
import { Sequence } from "./sequence.ts";
import type { Settings } from "./settings.ts";
import type { Supervision } from "./supervision.ts";

/** All that a gateway knows and does; a reset replaces it by a new one. */
export interface World {
	readonly settings: Settings;
	readonly clock: AdjustableClock;
	readonly scheduler: Scheduler;
	readonly agents: Agents;
	readonly conversations: Conversations;
	readonly messages: Messages;
	readonly attachments: KeptAttachments;
	readonly history: History;
	readonly duplicates: DuplicateWindows;
	readonly deliveries: Deliveries;
	readonly destinations: Destinations;
	readonly sequence: Sequence;
	/** Where what has no place of its own tells that it changed. */
	readonly feed: ChangeSink;
}

/** What a world is made in. */
export interface WorldTools {
	readonly settings: Settings;
	readonly clock: AdjustableClock;
	readonly faults: FaultPlan;
	readonly feed: ChangeSink;
	readonly supervision: Supervision;
}

/** Makes a world with nothing in it. */
export function createWorld({ settings, clock, faults, feed: listeners, supervision }: WorldTools): World {
	const { maxEntries, profile, webhookSecret, retryDelaysMs, deliverTo } = settings;
	const { keepsHistory, keepsAttachments, signatureClock = clock } = supervision;
	const scheduler = new Scheduler(clock);
	const feed = untilStopped(scheduler, listeners);
	const agents = new Agents(maxEntries, feed);
	const attachments = new KeptAttachments(keepsAttachments, feed);
	const sequence = new Sequence();
	const receiver = typeof deliverTo === "function" ? deliverTo : undefined;
	const url = receiverUrl(deliverTo);
	const destinations = { inboundWebhookUrl: url, statusWebhookUrl: url };
	const toDestination = (event: WebhookEventDetails) => destinationOf(event, destinations);
	const attempt = createDeliveryAttempt({
		signatureClock,
		scheduler,
		webhookSecret,
		profile,
		receiver,
		destinationOf: toDestination,
		isChecked: keepsHistory,
	});
	const stamp = () => ({ sequence: sequence.next(), at: clock.now() });
	return {
		settings,
		clock,
		scheduler,
		agents,
		conversations: new Conversations(maxEntries, agents, feed),
		messages: new Messages(maxEntries, feed, (record) => attachments.dropAll(record.attachmentIds)),
		attachments,
		history: new History(feed, keepsHistory ? stamp : undefined),
		duplicates: new DuplicateWindows(settings.rules, maxEntries),
		deliveries: new Deliveries({
			clock,
			scheduler,
			faults: faults.webhooks,
			attempt,
			destinationOf: toDestination,
			nextSequence: () => sequence.next(),
			retryDelaysMs,
			maxEntries,
			feed,
		}),
		destinations,
		sequence,
		feed,
	};
}

/** Registers the agents that the options name, as far as they are not there yet. */
export function registerAgents({ settings, agents, sequence, clock }: World): void {
	for (const agentNumber of settings.agents) {
		if (agents.find(agentNumber) !== undefined) continue;
		agents.add({
			sequence: sequence.next(),
			agentNumber,
			name: null,
			createdAt: clock.now(),
			maxConsecutiveMessages: undefined,
		});
	}
}

/** What a world that is over still finishes must not be taken for news of the one after it. */
function untilStopped(scheduler: Scheduler, feed: ChangeSink): ChangeSink {
	return {
		changed: (thing) => {
			if (!scheduler.isStopped) feed.changed(thing);
		},
		dropped: (thing) => {
			if (!scheduler.isStopped) feed.dropped(thing);
		},
	};
}
