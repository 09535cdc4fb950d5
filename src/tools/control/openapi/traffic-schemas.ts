import * as z from "zod/mini";
import { schemaOf } from "../../../library/catalogue/schema.ts";
import type { SignatureCheck } from "../../local-gateway/check-signature.ts";
import type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	ReceiverResponseView,
	RequestDetails,
	RequestErrorView,
	RequestView,
} from "../contract.ts";
import { DELIVERY_CAUSES, REQUEST_CAUSES } from "../diagnosis/causes.ts";
import type { Remedy } from "../diagnosis/remedy.ts";
import { action, operationId } from "../schemas/actions.ts";
import { list, sequence, strings, view } from "./shapes.ts";

const signatureCheck = schemaOf<SignatureCheck>("SignatureCheck")(
	z.union([
		view({ isValid: z.literal(true) }),
		view({ isValid: z.literal(false), code: z.string(), message: z.string() }),
	]),
);

const receiverResponse = schemaOf<ReceiverResponseView>("ReceiverResponseView")(
	view({ headers: strings, body: z.string(), bodyNote: z.exactOptional(z.string()) }),
);

const diagnosis = schemaOf<FailureDiagnosis>("FailureDiagnosis")(
	view({
		cause: z.enum([...DELIVERY_CAUSES, ...REQUEST_CAUSES]),
		reason: z.string(),
		fix: z.string(),
		remedies: list(
			schemaOf<Remedy>("Remedy")(
				view({
					label: z.string(),
					command: z.exactOptional(z.string()),
					actions: z.exactOptional(list(action)),
					copies: z.exactOptional(z.enum(["appSecret", "webhookSecret"])),
				}),
			),
		),
	}),
);

const attempt = schemaOf<AttemptView>("AttemptView")(
	view({
		at: z.number(),
		timestamp: z.number(),
		status: z.exactOptional(z.number()),
		error: z.exactOptional(z.string()),
		headers: strings,
		sentBody: z.exactOptional(z.string()),
		isEdited: z.exactOptional(z.boolean()),
		check: z.exactOptional(signatureCheck),
		response: z.exactOptional(receiverResponse),
		durationMs: z.exactOptional(z.number()),
		diagnosis: z.exactOptional(diagnosis),
	}),
);

export const deliveryView = schemaOf<DeliveryView>("DeliveryView")(
	view({
		eventId: z.string(),
		kind: z.enum(["inbound_message", "inbound_reaction", "status"]),
		url: z.string(),
		headers: strings,
		body: z.string(),
		state: z.enum(["pending", "delivered", "failed", "kept"]),
		sequence,
		attempts: list(attempt),
		messageId: z.string(),
		conversationKey: z.string(),
		createdAt: z.number(),
		nextAttemptAt: z.exactOptional(z.number()),
		diagnosis: z.exactOptional(diagnosis),
	}),
);

const requestError = schemaOf<RequestErrorView>("RequestErrorView")(
	view({ code: z.string(), message: z.string(), fields: list(z.string()) }),
);

export const requestView = schemaOf<RequestView>("RequestView")(
	view({
		requestId: z.string(),
		sequence,
		at: z.number(),
		method: z.string(),
		path: z.string(),
		operationId: z.exactOptional(operationId),
		status: z.exactOptional(z.number()),
		durationMs: z.number(),
		error: z.exactOptional(requestError),
		conversationKey: z.exactOptional(z.string()),
		diagnosis: z.exactOptional(diagnosis),
		probe: z.exactOptional(z.literal(true)),
	}),
);

export const requestDetails = schemaOf<RequestDetails>("RequestDetails")(
	z.intersection(
		requestView,
		view({
			query: z.string(),
			headers: strings,
			body: z.string(),
			responseBody: z.nullable(z.string()),
			signature: z.exactOptional(z.enum(["accepted", "rejected"])),
		}),
	),
);
