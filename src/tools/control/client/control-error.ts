import { MessagingGatewayError } from "../../../library/errors.ts";
import type { ControlProblemCode } from "../contract.ts";

/** Why a call on the control of a local gateway failed. */
export type LocalControlFailure =
	| ControlProblemCode
	/** There was no response, since the gateway isn't running, or the connection broke. */
	| "unreachable"
	/** The response isn't from a local gateway, or comes from another version of its control. */
	| "unexpected_response";

/** A call on the control of a local gateway failed. The message says why, and never contains the token. */
export class LocalControlError extends MessagingGatewayError {
	override get name() {
		return "LocalControlError" as const;
	}
	readonly code = "local_control" as const;
	/** Why the call failed, for programs. */
	readonly reason: LocalControlFailure;

	constructor(reason: LocalControlFailure, message: string) {
		super(message);
		this.reason = reason;
	}
}
