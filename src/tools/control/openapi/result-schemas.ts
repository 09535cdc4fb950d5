import * as z from "zod/mini";
import { agentSchema } from "../../../library/catalogue/agents.ts";
import type { Limits } from "../../../library/catalogue/limits.ts";
import { messageSchema } from "../../../library/catalogue/message.ts";
import { type Schema, schemaOf } from "../../../library/catalogue/schema.ts";
import type {
	ActionDone,
	ControlProblem,
	DeliveryView,
	GatewayTime,
	MessageView,
	Page,
	RequestView,
	SharedSecrets,
	Snapshot,
} from "../contract.ts";
import type { ControlContract, ValueOperationId } from "../routes.ts";
import { operationId } from "../schemas/actions.ts";
import { conversationView, messageView } from "./message-schemas.ts";
import { list, view } from "./shapes.ts";
import { deliveryView, requestDetails, requestView } from "./traffic-schemas.ts";

interface PageOfMessages extends Page<MessageView> {}
interface PageOfDeliveries extends Page<DeliveryView> {}
interface PageOfRequests extends Page<RequestView> {}

const pageOf = <Item extends z.ZodMiniType>(item: Item) =>
	view({ items: list(item), older: z.number(), newer: z.number() });

const time = { now: z.number(), offsetMs: z.number() };

const limits = schemaOf<Limits>("Limits")(
	z.looseObject({
		textLength: z.number(),
		attachments: z.number(),
		attachmentBytes: z.number(),
		participants: z.number(),
		typingMs: z.number(),
		pageSize: z.number(),
		stringLength: z.number(),
	}),
);

const url = z.nullable(z.string());

const snapshot = schemaOf<Snapshot>("Snapshot")(
	view({
		...time,
		baseUrl: z.string(),
		appId: z.string(),
		agents: list(agentSchema),
		conversations: list(conversationView),
		messages: list(messageView),
		destinations: view({ inboundWebhookUrl: url, statusWebhookUrl: url }),
		faults: list(z.string()),
		operationIds: list(operationId),
		limits,
		consecutive: z.enum(["enforce", "warn", "off"]),
		areRulesOn: z.boolean(),
	}),
);

/** The schema of each value that an operation responds; one without a schema does not compile. */
export const RESULT_SCHEMAS: { readonly [Id in ValueOperationId]: Schema<ControlContract[Id]["data"]> } = {
	listMessages: schemaOf<PageOfMessages>("PageOfMessages")(pageOf(messageView)),
	listDeliveries: schemaOf<PageOfDeliveries>("PageOfDeliveries")(pageOf(deliveryView)),
	listRequests: schemaOf<PageOfRequests>("PageOfRequests")(pageOf(requestView)),
	getRequest: requestDetails,
	act: schemaOf<ActionDone>("ActionDone")(
		view({ ok: z.literal(true), result: z.exactOptional(view({ message: messageSchema })) }),
	),
	getClock: schemaOf<GatewayTime>("GatewayTime")(view(time)),
	getFaults: list(z.string()),
	getCredentials: schemaOf<SharedSecrets>("SharedSecrets")(
		view({ appId: z.string(), appSecret: z.string(), webhookSecret: z.string() }),
	),
	getSnapshot: snapshot,
};

export const problemSchema = schemaOf<ControlProblem>("ControlProblem")(
	view({
		ok: z.literal(false),
		error: view({
			code: z.enum([
				"invalid_action",
				"invalid_query",
				"rejected",
				"not_found",
				"unauthorized",
				"forbidden",
				"method_not_allowed",
				"too_large",
				"too_many_streams",
				"internal",
			]),
			message: z.string(),
			requestId: z.string(),
		}),
	}),
);
