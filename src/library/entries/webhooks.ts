/**
 * Receives webhooks: verified, deduplicated, and acknowledged when your code has finished.
 *
 * See [Webhooks](../../../docs/webhooks.md).
 * @module messaging-gateway/webhooks
 */
export type { Around } from "../around.ts";
export type { EventPayload, InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";
export type { VendorProfile } from "../catalogue/profile.ts";
export { MESSAGE_STATUSES, type MessageStatus, type Reaction } from "../catalogue/shared.ts";
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
	ClaimResult,
	ClaimState,
	ClaimTimes,
	DeliveryBinding,
	EventStore,
	ReleaseOptions,
} from "../stores/event-store.ts";
export type { Inbox, InboxEnding, InboxResult, InboxTimes } from "../stores/inbox.ts";
export { type MemoryStoreOptions, memoryStore } from "../stores/memory.ts";
export { conversationOf } from "../webhooks/conversation-of.ts";
export {
	createWebhookHandler,
	type IncomingDelivery,
	type PlatformValues,
	type RequestContext,
	type WebhookFetch,
	type WebhookHandler,
} from "../webhooks/create-webhook-handler.ts";
export type {
	EventFields,
	InboundMessageEvent,
	InboundReactionEvent,
	NarrowedPayload,
	StatusEvent,
	UnknownEvent,
	WebhookEvent,
} from "../webhooks/events.ts";
export { failureReason } from "../webhooks/failure-reason.ts";
export type {
	AroundHandler,
	EventHandler,
	EventHandlers,
	HandledDelivery,
	HandlerContext,
	HandlerEnding,
	HandlerRunInfo,
	Handling,
	HeaderReader,
	InboxContext,
	WebhookHandlerOptions,
	WebhookHandlerSettings,
	WebhookHooks,
	WebhookResponseInfo,
	WithHandlers,
	WithInbox,
	WithQueue,
	WithStore,
} from "../webhooks/handler-options.ts";
export type { HeadersInput } from "../webhooks/headers.ts";
export { LeaseEndedError } from "../webhooks/lease.ts";
export { PermanentWebhookError } from "../webhooks/permanent-error.ts";
export type { RawBody } from "../webhooks/read-body.ts";
export type { OnWebhookError, WebhookErrorContext } from "../webhooks/report.ts";
export type {
	PlatformSecret,
	TenantSecret,
	WebhookSecret,
	WebhookSecretFunction,
} from "../webhooks/secret.ts";
export { type SignWebhookInput, signWebhook } from "../webhooks/sign-webhook.ts";
export { compareStatus, isOutdatedStatus } from "../webhooks/status-order.ts";
export {
	type ReceivedAt,
	type SignedDelivery,
	type VerifyWebhookOptions,
	verifySignature,
	type WebhookDelivery,
} from "../webhooks/verify-signature.ts";
export {
	type VerifyWebhookRequestOptions,
	verifyWebhook,
	verifyWebhookRequest,
} from "../webhooks/verify-webhook.ts";
export type { WebhookResponse, WebhookResponseCode } from "../webhooks/webhook-response.ts";
