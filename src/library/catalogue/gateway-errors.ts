import type { OpenEnum } from "./schema.ts";

/**
 * The error codes of the local gateway, each with its HTTP status. The codes are assumed: the specification only shows
 * the envelope and the statuses 400, 401, 404 and 500.
 */
export const GATEWAY_ERRORS = {
	VALIDATION_ERROR: { status: 400, meaning: "A field is missing or invalid; `details` lists each." },
	UNAUTHORIZED: { status: 401, meaning: "The signature, app id, timestamp or nonce was not accepted." },
	AGENT_BLOCKED: { status: 403, meaning: "The agent is blocked and does not send." },
	MAX_CONSECUTIVE_EXCEEDED: { status: 403, meaning: "The contact has not replied to the last messages." },
	NOT_FOUND: { status: 404, meaning: "The path does not exist." },
	AGENT_NOT_FOUND: { status: 404, meaning: "No agent has this number." },
	GROUP_NOT_FOUND: { status: 404, meaning: "No group has this id." },
	MAPPING_NOT_FOUND: { status: 404, meaning: "No agent is mapped to this number." },
	MESSAGE_NOT_FOUND: { status: 404, meaning: "No message has this id." },
	METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, but not with this method." },
	AGENT_EXISTS: { status: 409, meaning: "An agent with this number is registered already." },
	ASSIGNMENT_CONFLICT: {
		status: 409,
		meaning: "The user is not mapped to the agent named as the current one.",
	},
	DUPLICATE_MESSAGE: { status: 409, meaning: "A duplicate window blocks the message." },
	MAPPING_EXISTS: { status: 409, meaning: "The number is mapped already." },
	ATTACHMENT_TOO_LARGE: { status: 413, meaning: "An attachment, or the whole request, is too large." },
	UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The voice note is not an audio format that can be sent." },
	NATIVE_UNSUPPORTED: { status: 422, meaning: "The contact cannot use the native messaging network." },
	RATE_LIMITED: { status: 429, meaning: "Too many requests; `Retry-After` may be set." },
	INTERNAL_ERROR: { status: 500, meaning: "The gateway failed." },
	NO_AGENT_AVAILABLE: { status: 503, meaning: "No agent can send: each one is offline or blocked." },
	SERVICE_UNAVAILABLE: { status: 503, meaning: "The gateway is temporarily unavailable." },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** A code that the local gateway knows. */
export type KnownGatewayErrorCode = keyof typeof GATEWAY_ERRORS;

/** The code in an error envelope. Known codes complete in the editor, others pass through. */
export type GatewayErrorCode = OpenEnum<KnownGatewayErrorCode>;

/** The further errors that every send may respond with. */
export const SEND_ERRORS = [
	"AGENT_NOT_FOUND",
	"GROUP_NOT_FOUND",
	"AGENT_BLOCKED",
	"MAX_CONSECUTIVE_EXCEEDED",
	"DUPLICATE_MESSAGE",
	"NO_AGENT_AVAILABLE",
] as const satisfies readonly KnownGatewayErrorCode[];
