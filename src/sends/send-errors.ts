import { SendError, type SendErrorCode } from "../errors.ts";

/** None shows the key: it may contain a number. */
const MESSAGES: Readonly<Record<SendErrorCode, string>> = {
	key_reused: "the key has another input, or digestSecret is not the same in all processes",
	send_in_progress: "another worker is at this send",
	lease_ended: "the lease was over before the request was signed: nothing was sent",
	too_early: "a delayed request could still be accepted",
	unknown_key: "there is no send with this key",
	store_failed: "the store failed, or did not keep its contract",
};

/** The error with a code. */
export function sendError(code: SendErrorCode, retryAfterMs?: number, cause?: unknown): SendError {
	return new SendError(code, MESSAGES[code], { retryAfterMs, cause });
}
