import { SendError } from "../errors.ts";

// No message has the key: it may contain a number.

export function inProgress(retryAfterMs: number): SendError {
	return new SendError("send_in_progress", "another worker is at this send: try again after its lease", {
		retryAfterMs,
	});
}

export function tooEarly(retryAfterMs: number): SendError {
	const message = "send_again is not possible yet: a delayed request could still be accepted";
	return new SendError("too_early", message, { retryAfterMs });
}

export function leaseEnded(): SendError {
	return new SendError("lease_ended", "the lease was over before the request was signed; nothing was sent");
}

export function keyReused(): SendError {
	const message =
		"the key was used for another input: give each send a key of its own, and all processes the same digestSecret";
	return new SendError("key_reused", message);
}
