import type { AdjustableClock } from "./adjustable-clock.ts";
import { AgentRegistry } from "./agents.ts";
import type { ChangedItem } from "./change-feed.ts";
import type { ChangeSink } from "./change-sink.ts";
import { Conversations } from "./conversations.ts";
import { Deliveries } from "./deliveries.ts";
import type { WebhookEventDetails } from "./delivery.ts";
import { createDeliveryAttempt } from "./delivery-attempt.ts";
import { type Destinations, destinationOf, receiverUrl } from "./destinations.ts";
import { AcceptedSends } from "./duplicates.ts";
import type { FaultPlan } from "./faults.ts";
import { KeptAttachments } from "./kept-attachments.ts";
import { MessageRegistry } from "./messages.ts";
import { RuleSwitch } from "./rule-switch.ts";
import { Scheduler } from "./scheduler.ts";
import { Sequence } from "./sequence.ts";
import type { GatewaySettings } from "./settings.ts";
import type { Supervision } from "./supervision.ts";

/** The state of a gateway and its parts; a reset replaces it. */
export interface World {
	readonly settings: GatewaySettings;
	readonly clock: AdjustableClock;
	readonly scheduler: Scheduler;
	readonly agents: AgentRegistry;
	readonly conversations: Conversations;
	readonly messages: MessageRegistry;
	readonly attachments: KeptAttachments;
	readonly duplicates: AcceptedSends;
	readonly deliveries: Deliveries;
	readonly destinations: Destinations;
	readonly rules: RuleSwitch;
	readonly sequence: Sequence;
	/** Receives the changes that no part reports itself, such as those of the destinations. */
	readonly feed: ChangeSink<ChangedItem>;
}

/** The dependencies of a world. */
export interface WorldTools {
	readonly settings: GatewaySettings;
	readonly clock: AdjustableClock;
	readonly faults: FaultPlan;
	readonly feed: ChangeSink<ChangedItem>;
	readonly supervision: Supervision;
}

/** Creates an empty world. */
export function createWorld({ settings, clock, faults, feed: listeners, supervision }: WorldTools): World {
	const { maxEntries, profile, webhookSecret, webhooks, deliverTo } = settings;
	const {
		checksDeliveries,
		keepsAttachments,
		keepsUndelivered,
		signatureClock = clock,
		readResponse,
	} = supervision;
	const scheduler = new Scheduler(clock);
	const feed = untilStopped(scheduler, listeners);
	const agents = new AgentRegistry(maxEntries, feed);
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
		webhooks,
		receiver,
		destinationOf: toDestination,
		isChecked: checksDeliveries,
		readResponse,
	});
	return {
		settings,
		clock,
		scheduler,
		agents,
		conversations: new Conversations(maxEntries, agents, feed),
		messages: new MessageRegistry(maxEntries, feed, (record) => attachments.dropAll(record.attachmentIds)),
		attachments,
		duplicates: new AcceptedSends(settings.rules, maxEntries),
		deliveries: new Deliveries({
			clock,
			scheduler,
			faults: faults.webhooks,
			attempt,
			destinationOf: toDestination,
			nextSequence: () => sequence.next(),
			webhooks,
			keepsUndelivered,
			maxEntries,
			feed,
		}),
		destinations,
		rules: new RuleSwitch(settings.rules, feed),
		sequence,
		feed,
	};
}

/** Registers the agents of the options that are not registered yet. */
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

/** Drops the changes of a stopped world, which must not appear as changes of the next one. */
function untilStopped(scheduler: Scheduler, feed: ChangeSink<ChangedItem>): ChangeSink<ChangedItem> {
	return {
		changed: (item) => {
			if (!scheduler.isStopped) feed.changed(item);
		},
		dropped: (item) => {
			if (!scheduler.isStopped) feed.dropped(item);
		},
	};
}
