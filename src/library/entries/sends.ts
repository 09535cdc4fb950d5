/**
 * Sends each message once: if it may have gone out, the sender says so instead of sending it twice.
 *
 * See [Send once](../../../docs/sends.md).
 * @module messaging-gateway/sends
 */
export {
	ConfigurationError,
	InputError,
	isMessagingGatewayError,
	MessagingGatewayError,
	SendError,
	type SendErrorCode,
} from "../errors.ts";
export type { Clock } from "../runtime.ts";
export { createSender, type Sender } from "../sends/create-sender.ts";
export { type ListedSend, type ListSendsOptions, listSends } from "../sends/list-sends.ts";
export { type ObservableEvent, type ObservedSend, observeSend } from "../sends/observe-send.ts";
export type { SenderOptions, SendKeyOptions, UnresolvedSend } from "../sends/options.ts";
export type { SendInput } from "../sends/prepare-send.ts";
export type { MappingHint, UncertainAttempt } from "../sends/record.ts";
export { resolveSend, type SendDecision } from "../sends/resolve-send.ts";
export type { SendResult } from "../sends/run-send.ts";
export type { StoreLimit } from "../sends/stored-record.ts";
export type { AcceptanceProof, SendEvidence, SendVerdict } from "../sends/verdict.ts";
export { type MemorySendStoreOptions, memorySendStore } from "../stores/memory-send-store.ts";
export type {
	ListSendRows,
	SendRow,
	SendStore,
	StoredSend,
	StoredSendState,
	SweepableSendStore,
} from "../stores/send-store.ts";
