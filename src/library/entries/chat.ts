/**
 * Runs your Chat SDK bot on the gateway: it loses no message, and keeps the order within a conversation.
 *
 * See [Chat bots](../../../docs/chat.md).
 * @module messaging-gateway/chat
 */
export {
	createGatewayAdapter,
	type GatewayAdapter,
} from "../chat/create-gateway-adapter.ts";
export type {
	EnqueuedEvents,
	EventsWithinDelivery,
	GatewayAdapterOptions,
	GatewayWebhookSettings,
	GatewayWebhooks,
	ProcessOptions,
} from "../chat/options.ts";
export type { GatewayPost, GatewayRawMessage, PostOptions } from "../chat/post.ts";
export type { GatewayThread } from "../chat/threads.ts";
export { ConfigurationError, InputError, SendError } from "../errors.ts";
