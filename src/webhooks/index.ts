export type { VendorProfile } from "../catalogue/profile.ts";
export type { MessageStatus, Reaction, ReceivedAttachment } from "../catalogue/shared.ts";
export {
	ConfigurationError,
	isMessagingGatewayError,
	MessagingGatewayError,
	type ShapeIssue,
	WebhookVerificationError,
	type WebhookVerificationErrorCode,
} from "../errors.ts";
export type { Clock } from "../runtime.ts";
export type {
	EventFields,
	EventPayload,
	InboundMessage,
	InboundMessageEvent,
	InboundReaction,
	InboundReactionEvent,
	StatusEvent,
	StatusUpdate,
	UnknownEvent,
	WebhookEvent,
} from "./events.ts";
export type { HeadersInput } from "./headers.ts";
export type { WebhookSecret } from "./secret.ts";
export { type SignWebhookInput, signWebhook } from "./sign-webhook.ts";
export {
	type SignedDelivery,
	type VerifyWebhookOptions,
	verifySignature,
	type WebhookDelivery,
} from "./verify-signature.ts";
export { verifyWebhook } from "./verify-webhook.ts";
