/**
 * The client and its errors: it signs requests, retries them if that is safe, and checks every response.
 *
 * See [Send messages](../../../docs/sending.md), and [errors and retries](../../../docs/errors.md).
 * @module messaging-gateway
 */
export type { Around } from "../around.ts";
export type {
	Agent,
	AgentData,
	AgentStatus,
	AgentsPage,
	AssignAgentInput,
	BlockReason,
	ListAgentsInput,
	ReassignAgentInput,
	ReassignedData,
	RegisterAgentInput,
} from "../catalogue/agents.ts";
export type {
	Contact,
	ContactsPage,
	ConversationFilter,
	ListContactsInput,
	MessagesPage,
	NumberStats,
} from "../catalogue/analytics.ts";
export type { AttachmentByUrl, EncodedAttachment, WireAttachment } from "../catalogue/attachments.ts";
export type { GatewayErrorCode, KnownGatewayErrorCode } from "../catalogue/gateway-errors.ts";
export type { OperationId } from "../catalogue/index.ts";
export type {
	ChatFields,
	PageInput,
	TargetFields,
	TimeRange,
	WithOneChat,
	WithOneTarget,
} from "../catalogue/input-fields.ts";
export type { Limits } from "../catalogue/limits.ts";
export type {
	CreateMappingInput,
	DeletedData,
	ListMappingsInput,
	Mapping,
	MappingChanges,
	MappingData,
	MappingsPage,
} from "../catalogue/mappings.ts";
export type { Message, MessageData } from "../catalogue/message.ts";
export type {
	CapabilityData,
	MarkReadData,
	MarkReadFields,
	MarkReadInput,
	StartTypingInput,
	StopTypingInput,
	TapbackData,
	TapbackInput,
	TypingData,
	TypingFields,
} from "../catalogue/messages.ts";
export {
	defineOperation,
	type HttpMethod,
	type Operation,
	type OperationDefinition,
	type Provenance,
	type RetryClass,
} from "../catalogue/operation.ts";
export {
	type DuplicatesProfile,
	defineProfile,
	type OperationProfile,
	type Profile,
	type VendorProfile,
} from "../catalogue/profile.ts";
export type { AgentQueue, QueueStatus, QueueStatusInput } from "../catalogue/queue.ts";
export type { ResponseMeta } from "../catalogue/response-meta.ts";
export type { OpenEnum, Schema, SchemaIssue, SchemaResult } from "../catalogue/schema.ts";
export type {
	Effect,
	SendAttachmentsFields,
	SendOptions,
	SendTextFields,
	SendTextInput,
	SendVoiceNoteFields,
} from "../catalogue/sends.ts";
export type { SetWebhooksInput, WebhookSettings } from "../catalogue/settings.ts";
export type { MessageStatus, Reaction, ReceivedAttachment } from "../catalogue/shared.ts";
export type {
	Attachment,
	AttachmentByBase64,
	AttachmentByBytes,
	SendAttachmentsInput,
	SendAttachmentsInputFields,
	SendMessageInput,
	SendVoiceNoteInput,
	SendVoiceNoteInputFields,
} from "../client/attachments.ts";
export type { RequestOptions } from "../client/caller.ts";
export type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
export type { AwaitedMethods, GatewayCall, WithResponse } from "../client/gateway-call.ts";
export type { ListCall } from "../client/list-call.ts";
export type {
	AttemptEnding,
	AttemptInfo,
	CallEnding,
	CallInfo,
	FailureInfo,
	Hooks,
	Logger,
	LogLevel,
	ResponseInfo,
	RetryInfo,
} from "../client/observer.ts";
export type { CallOptions, ClientOptions, ResponseValidation, ValidationMode } from "../client/options.ts";
export type { Agents } from "../client/resources/agents.ts";
export type { Analytics } from "../client/resources/analytics.ts";
export type { Health } from "../client/resources/health.ts";
export type { Mappings } from "../client/resources/mappings.ts";
export type { Messages } from "../client/resources/messages.ts";
export type { Queue } from "../client/resources/queue.ts";
export type { Settings } from "../client/resources/settings.ts";
export type { RequestToSign, Signer, SignerResult } from "../client/signer.ts";
export {
	type AnyMessagingGatewayError,
	ApiError,
	type ApiErrorCode,
	type ApiErrorContext,
	AuthenticationError,
	BadRequestError,
	type CallContext,
	CallError,
	CanonicalJsonError,
	type CanonicalJsonErrorCode,
	ConfigurationError,
	ConflictError,
	ConnectionError,
	type DuplicateInfo,
	DuplicateMessageError,
	type FieldError,
	InputError,
	isMessagingGatewayError,
	MessagingGatewayError,
	NotFoundError,
	type Outcome,
	PermissionDeniedError,
	RateLimitError,
	RequestVerificationError,
	type RequestVerificationErrorCode,
	type ResponseContext,
	ResponseShapeError,
	SendError,
	type SendErrorCode,
	ServerError,
	type ShapeIssue,
	SignerError,
	TimeoutError,
	UnexpectedStatusError,
	UnprocessableEntityError,
	WebhookVerificationError,
	type WebhookVerificationErrorCode,
} from "../errors.ts";
export { MessagingGateway } from "../messaging-gateway.ts";
export type { Clock } from "../runtime.ts";
export type { SigningProfile } from "../signing/dialect.ts";
