import { ControlClient, type Fetch } from "../control/client/control-client.ts";
import type { LocalControlFailure } from "../control/client/control-error.ts";

/** A call of the page failed. It is none of the package's errors, which would be loaded with the page. */
export class PageError extends Error {
	/** Why, for programs. */
	readonly reason: LocalControlFailure;

	constructor(reason: LocalControlFailure, message: string) {
		super(message);
		this.reason = reason;
	}
}

/** Calls the control of the gateway that served the page, with the page's token. */
export function createPageClient(
	token: string,
	send: Fetch = (url, init) => fetch(url, init),
): ControlClient {
	return new ControlClient({
		baseUrl: "",
		token,
		fetch: send,
		whenUnreachable: "The gateway can't be reached. Is the command still running?",
		describeForeign: () => "Another gateway responds: reload the page.",
		toError: (reason, message) => new PageError(reason, message),
	});
}
