/**
 * Runs the gateway in your test process, signs webhooks, and tests a store that you wrote.
 *
 * See [Testing your app](../../../docs/testing.md) and [the local gateway](../../../docs/local-gateway.md).
 * @module messaging-gateway/testing
 */
export type { Message } from "../../library/catalogue/message.ts";
export type { Profile } from "../../library/catalogue/profile.ts";
export { ConfigurationError, isMessagingGatewayError } from "../../library/errors.ts";
export { type Clock, systemClock } from "../../library/runtime.ts";
export {
	type EventStoreCaseTimes,
	eventStoreCases,
} from "../conformance/event-store-cases.ts";
export { type NonceStoreCaseTimes, nonceStoreCases } from "../conformance/nonce-store-cases.ts";
export { sendStoreCases } from "../conformance/send-store-cases.ts";
export type { StoreCase, StoreSubject } from "../conformance/store-case.ts";
export {
	type ConnectedGateway,
	type ConnectOptions,
	connect,
	type RemoteContact,
} from "../control/client/connect.ts";
export { LocalControlError } from "../control/client/control-error.ts";
export type { RemoteFaults, RemoteWebhookFaults } from "../control/client/remote-faults.ts";
export type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	Page,
	RequestDetails,
	RequestView,
} from "../control/contract.ts";
export type { AgentActor, ContactActor, ReactOptions, ReplyOptions } from "../local-gateway/actors.ts";
export {
	type AdjustableClock,
	type AdjustableClockOptions,
	createAdjustableClock,
} from "../local-gateway/adjustable-clock.ts";
export type { Times } from "../local-gateway/countdown.ts";
export { createLocalGateway } from "../local-gateway/create-local-gateway.ts";
export type { RecordedAttempt, RecordedDelivery, WebhookKind } from "../local-gateway/delivery.ts";
export type {
	CorruptResponse,
	DroppedConnection,
	FaultFilter,
	FaultResponse,
	Faults,
} from "../local-gateway/faults.ts";
export type { LocalClientOptions, LocalGateway } from "../local-gateway/local-gateway.ts";
export {
	type Delays,
	MAGIC_NUMBERS,
	type MagicNumber,
	type TimedStep,
} from "../local-gateway/magic-numbers.ts";
export type {
	DuplicateWindows,
	LocalGatewayOptions,
	RuleOptions,
	WebhookOptions,
	WebhookReceiver,
} from "../local-gateway/options.ts";
export { readings } from "../local-gateway/readings/index.ts";
export type { Reading } from "../local-gateway/readings/reading.ts";
export type { ReadingName } from "../local-gateway/readings/reading-name.ts";
export type { RecordedRequest } from "../local-gateway/traffic.ts";
export type { WebhookFaults } from "../local-gateway/webhook-faults.ts";
export {
	createWebhookRequest,
	type WebhookPayloads,
	type WebhookRequestOptions,
} from "../local-gateway/webhook-request.ts";
