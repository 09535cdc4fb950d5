import * as z from "zod/mini";
import { mimeType } from "../../../library/catalogue/attachments.ts";
import { OPERATIONS } from "../../../library/catalogue/index.ts";
import {
	agentPhoneNumber,
	contactHandle,
	httpUrl,
	identifier,
} from "../../../library/catalogue/input-fields.ts";
import { type Schema, schemaOf } from "../../../library/catalogue/schema.ts";
import { REQUEST_FAULTS, WEBHOOK_FAULTS } from "../../local-gateway/fault-kinds.ts";
import type {
	Action,
	AdvanceClockAction,
	AgentOnlineAction,
	AttachedFile,
	ClearFaultsAction,
	DeliverAction,
	DestinationsAction,
	FaultTimes,
	ReactAction,
	ReadAction,
	RedeliverAction,
	ReplyAction,
	RequestFaultAction,
	ResetAction,
	RulesAction,
	SettleAction,
	WebhookFaultAction,
} from "../action.ts";
import { requestFaultChoice, webhookFaultChoice } from "./faults.ts";

const YEAR_MS = 366 * 86_400_000;

/** Larger than every event under the default limits: a text has at most 18,996 characters, and attachments are URLs. */
const MAX_EDITED_BODY = 1_000_000;

/** The largest body that a webhook handler reads by default. */
const MAX_FOREIGN_BODY = 1_048_576;

const file = schemaOf<AttachedFile>("AttachedFile")(
	z.strictObject({
		name: identifier,
		mimeType,
		data: z.base64("must be base64").check(z.minLength(1, "must not be empty")),
	}),
);

const reply = schemaOf<ReplyAction>("ReplyAction")(
	z
		.strictObject({
			type: z.literal("reply"),
			from: contactHandle,
			text: z.string(),
			to: z.optional(agentPhoneNumber),
			groupId: z.optional(identifier),
			attachments: z.optional(z.readonly(z.array(file))),
		})
		.check(
			z.refine(
				({ text, attachments = [] }) => text !== "" || attachments.length > 0,
				"must have a text or attachments",
			),
		),
);

const react = schemaOf<ReactAction>("ReactAction")(
	z.strictObject({
		type: z.literal("react"),
		from: contactHandle,
		reaction: identifier,
		messageGuid: z.optional(identifier),
		action: z.optional(z.enum(["add", "remove"])),
	}),
);

const read = schemaOf<ReadAction>("ReadAction")(
	z.strictObject({ type: z.literal("read"), from: contactHandle }),
);

const milliseconds = z.number().check(z.minimum(0), z.maximum(YEAR_MS));

const advanceClock = schemaOf<AdvanceClockAction>("AdvanceClockAction")(
	z.strictObject({ type: z.literal("advance_clock"), ms: milliseconds }),
);

const redeliver = schemaOf<RedeliverAction>("RedeliverAction")(
	z.strictObject({
		type: z.literal("redeliver"),
		eventId: identifier,
		body: z.optional(
			z.string().check(z.maxLength(MAX_EDITED_BODY, `must have at most ${MAX_EDITED_BODY} characters`)),
		),
	}),
);

const deliver = schemaOf<DeliverAction>("DeliverAction")(
	z.strictObject({
		type: z.literal("deliver"),
		eventId: identifier,
		kind: z.enum(["inbound_message", "inbound_reaction", "status"]),
		body: z.optional(
			z.string().check(z.maxLength(MAX_FOREIGN_BODY, `must have at most ${MAX_FOREIGN_BODY} characters`)),
		),
	}),
);

const agentOnline = schemaOf<AgentOnlineAction>("AgentOnlineAction")(
	z.strictObject({ type: z.literal("agent_online"), agentNumber: agentPhoneNumber, isOnline: z.boolean() }),
);

const destination = z.optional(
	z.nullable(
		z.union([z.literal(""), httpUrl], "must be an absolute http or https URL, or empty to unset it"),
	),
);

const destinations = schemaOf<DestinationsAction>("DestinationsAction")(
	z.strictObject({
		type: z.literal("destinations"),
		inboundWebhookUrl: destination,
		statusWebhookUrl: destination,
	}),
);

export const operationId = z.enum(
	OPERATIONS.map(({ id }) => id),
	"must be the id of an operation, such as messages.sendText",
);

export const times = schemaOf<FaultTimes>("FaultTimes")(
	z.union(
		[z.number().check(z.int("must be an integer"), z.minimum(1)), z.literal("always")],
		'must be an integer of at least 1, or "always"',
	),
);

const requestFault = schemaOf<RequestFaultAction>("RequestFaultAction")(
	z
		.strictObject({
			type: z.literal("request_fault"),
			fault: requestFaultChoice,
			operationId: z.optional(operationId),
			times: z.optional(times),
		})
		.check(
			z.refine(
				({ fault, ...filter }) =>
					REQUEST_FAULTS[fault.kind].lasts !== "on" ||
					(filter.operationId === undefined && filter.times === undefined),
				"must not have operationId or times with a skew, which affects all requests until it is cleared",
			),
		),
);

const webhookFault = schemaOf<WebhookFaultAction>("WebhookFaultAction")(
	z
		.strictObject({
			type: z.literal("webhook_fault"),
			fault: webhookFaultChoice,
			times: z.optional(times),
		})
		.check(
			z.refine(
				({ fault, times }) => WEBHOOK_FAULTS[fault.kind].lasts !== "once" || times !== "always",
				"must have a number as times for repeat",
			),
		),
);

const clearFaults = schemaOf<ClearFaultsAction>("ClearFaultsAction")(
	z.strictObject({ type: z.literal("clear_faults") }),
);

const rules = schemaOf<RulesAction>("RulesAction")(
	z.strictObject({ type: z.literal("rules"), areOn: z.boolean() }),
);

const settle = schemaOf<SettleAction>("SettleAction")(z.strictObject({ type: z.literal("settle") }));

const resetFields = z.strictObject({ type: z.literal("reset") });

const reset = schemaOf<ResetAction>("ResetAction")(resetFields);

/** Every kind of action; one without a schema does not compile. */
export const ACTIONS: { readonly [Type in Action["type"]]: Schema<Extract<Action, { type: Type }>> } = {
	reply,
	react,
	read,
	advance_clock: advanceClock,
	redeliver,
	deliver,
	agent_online: agentOnline,
	destinations,
	request_fault: requestFault,
	webhook_fault: webhookFault,
	clear_faults: clearFaults,
	rules,
	settle,
	reset,
};

/** An action: `type` names its kind. */
export const action: z.ZodMiniType<Action> = z.discriminatedUnion(
	"type",
	// Each is an object with its `type`, which the type of a schema with an interface does not say.
	Object.values(ACTIONS) as unknown as [typeof resetFields],
	`must be one of ${Object.keys(ACTIONS).join(", ")}`,
) as unknown as z.ZodMiniType<Action>;
