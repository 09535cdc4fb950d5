import { ControlClient, type Fetch } from "../control/client/control-client.ts";

/** Calls the control of the gateway that served the page, with the page's token. */
export function createPageClient(
	token: string,
	send: Fetch = (url, init) => fetch(url, init),
): ControlClient {
	return new ControlClient({
		baseUrl: "",
		token,
		fetch: send,
		whenUnreachable: "The gateway cannot be reached. Is the command still running?",
		whenUnauthorized: "The token is missing or wrong: open the link that the command printed.",
	});
}
