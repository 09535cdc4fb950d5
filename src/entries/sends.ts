/**
 * Makes each send once: an application names a send, and the message goes out once, or it is reported what is not known.
 *
 * See [Sends that are made once](../../docs/sends.md).
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
export { createSender, type SendDecision, type Sender } from "../sends/create-sender.ts";
export type { SendInput } from "../sends/input.ts";
export type { ListedSend, ListSendsOptions } from "../sends/list-sends.ts";
export type { ObservableEvent, ObservedSend } from "../sends/observe-event.ts";
export type { SenderOptions, SendKeyOptions } from "../sends/options.ts";
export type { MappingHint } from "../sends/record.ts";
export type { SendResult } from "../sends/run-send.ts";
export type { AcceptanceProof, SendEvidence, SendVerdict, UncertainAttempt } from "../sends/verdict.ts";
export { type MemorySendStoreOptions, memorySendStore } from "../stores/memory-send-store.ts";
export type {
	ListSendRows,
	SendRow,
	SendStore,
	StoredSend,
	StoredSendState,
	SweepableSendStore,
} from "../stores/send-store.ts";
