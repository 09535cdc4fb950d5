import { findExcesses } from "../../library/catalogue/limits.ts";
import { ConfigurationError, type FieldError } from "../../library/errors.ts";
import { createAgentActor, createContactActor } from "../local-gateway/actors.ts";
import { assertSize } from "../local-gateway/attachments.ts";
import type { GatewayCore } from "../local-gateway/create-gateway-core.ts";
import type { WebhookKind } from "../local-gateway/delivery.ts";
import { destinationOf, setDestinations } from "../local-gateway/destinations.ts";
import { RequestRejection } from "../local-gateway/request-rejection.ts";
import type { GatewaySettings } from "../local-gateway/settings.ts";
import { createWebhookRequest } from "../local-gateway/webhook-request.ts";
import type { Action, DeliverAction, FaultTimes, RedeliverAction, ReplyAction } from "./action.ts";
import type { ActionDone } from "./contract.ts";
import { ControlRejection } from "./control-rejection.ts";

/**
 * Carries out an action.
 * @throws ControlRejection when it cannot be done.
 */
export async function perform(core: GatewayCore, action: Action): Promise<ActionDone["result"]> {
	try {
		if (action.type === "reply") return await reply(core, action);
		await carryOut(core, action);
		return undefined;
	} catch (error) {
		if (error instanceof RequestRejection || error instanceof ConfigurationError) {
			throw new ControlRejection("rejected", describeRejection(error));
		}
		throw error;
	}
}

/** The gateway lists invalid fields in `details`; an action's rejection has only a message. */
function describeRejection(error: RequestRejection | ConfigurationError): string {
	const fields = "details" in error && Array.isArray(error.details) ? error.details : [];
	return fields.length === 0
		? error.message
		: fields.map(({ field, message }: FieldError) => `${field} ${message}`).join(", ");
}

async function reply({ getWorld }: GatewayCore, action: ReplyAction): Promise<ActionDone["result"]> {
	const { from, text, to, groupId, attachments = [] } = action;
	const { limits } = getWorld().settings;
	const [excess] = findExcesses({ text, attachments }, limits);
	if (excess !== undefined) throw new ControlRejection("rejected", `${excess.path} ${excess.message}`);
	for (const attachment of attachments) assertSize(attachment, limits);
	const message = await createContactActor(getWorld, from).reply(text, { to, groupId, files: attachments });
	return { message };
}

async function carryOut(core: GatewayCore, action: Exclude<Action, ReplyAction>): Promise<void> {
	const { local, faults, getWorld } = core;
	switch (action.type) {
		case "react": {
			const { from, reaction, messageGuid, action: change } = action;
			await createContactActor(getWorld, from).react(reaction, { messageGuid, action: change });
			break;
		}
		case "read":
			if (getWorld().conversations.findContact(action.from) === undefined)
				throw new ControlRejection(
					"not_found",
					"This contact has no chat to read yet. Send to it first, or let it write.",
				);
			await createContactActor(getWorld, action.from).read();
			break;
		case "advance_clock":
			await getWorld().scheduler.advance(action.ms);
			break;
		case "redeliver":
			redeliver(core, action);
			break;
		case "deliver":
			await deliver(core, action);
			break;
		case "agent_online": {
			const agent = createAgentActor(getWorld, action.agentNumber);
			if (action.isOnline) agent.goOnline();
			else agent.goOffline();
			break;
		}
		case "destinations":
			setDestinations(getWorld(), action);
			break;
		case "request_fault":
			faults.add(action.fault, {
				operationId: action.operationId,
				times: toTimes(action.times),
			});
			break;
		case "webhook_fault":
			faults.webhooks.add(action.fault, { times: toTimes(action.times) });
			break;
		case "clear_faults":
			local.faults.clear();
			break;
		case "rules": {
			const { rules } = getWorld();
			if (action.areOn && !rules.isUseful)
				throw new ControlRejection("rejected", "The gateway was started without rules: start it with them.");
			rules.turn(action.areOn);
			break;
		}
		case "settle":
			await local.settled();
			break;
		case "reset":
			local.reset();
			break;
	}
}

function toTimes(times: FaultTimes | undefined): number | undefined {
	return times === "always" ? Number.POSITIVE_INFINITY : times;
}

async function deliver(core: GatewayCore, { eventId, kind, body }: DeliverAction): Promise<void> {
	const { deliveries, destinations, settings } = core.getWorld();
	const sent = body ?? (await writeSample(kind, eventId, settings));
	const known = deliveries.find(eventId);
	if (known !== undefined) {
		redeliver(core, { type: "redeliver", eventId, body: body === known.body ? undefined : body });
		return;
	}
	const event = { kind, messageId: eventId, conversationKey: "", statusCallback: null };
	if (destinationOf(event, destinations) === undefined)
		throw new ControlRejection("rejected", NO_DESTINATION);
	deliveries.bring(event, eventId, sent);
}

function writeSample(
	kind: WebhookKind,
	eventId: string,
	{ profile }: Pick<GatewaySettings, "profile">,
): Promise<string> {
	return createWebhookRequest(kind, {}, { eventId, profile }).text();
}

const NO_DESTINATION = "There is no webhook URL for it: set one, then deliver it again.";

function redeliver({ getWorld }: GatewayCore, { eventId, body }: RedeliverAction): void {
	const { deliveries, destinations } = getWorld();
	const delivery = deliveries.find(eventId);
	if (delivery === undefined) {
		throw new ControlRejection("not_found", "No delivery has this event id; the oldest ones are dropped.");
	}
	if (destinationOf(delivery, destinations) === undefined) {
		throw new ControlRejection("rejected", NO_DESTINATION);
	}
	if (deliveries.tryNow(delivery, body)) return;
	throw new ControlRejection(
		"rejected",
		"An attempt is under way, or an earlier webhook of the message is being delivered: try again when it is over.",
	);
}
