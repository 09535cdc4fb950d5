import type { Command } from "commander";
import { platformFetch, readEnvironment } from "../../../library/runtime.ts";
import { type ConnectedGateway, connect } from "../../control/client/connect.ts";
import { CONTROL_TOKEN_VARIABLE, readControlToken } from "../credentials/control-token.ts";
import { assertHttpUrl, LOCAL_GATEWAY } from "../gateway-options.ts";

/** The options that name a local gateway. */
export interface ControlOptions {
	baseUrl?: string;
	controlToken?: string;
}

/** Adds the options of every verb that needs the control of a local gateway. */
export function withControlOptions(command: Command): Command {
	return command
		.option(
			"--base-url <url>",
			`a local gateway (MESSAGING_GATEWAY_BASE_URL; default: ${LOCAL_GATEWAY.baseUrl})`,
		)
		.option("--control-token <token>", `its token (${CONTROL_TOKEN_VARIABLE}; default: this machine's own)`);
}

/**
 * Connects to the local gateway that the options name.
 * @param signal - ends every request of the connection.
 */
export function connectTo(
	{ baseUrl, controlToken }: ControlOptions,
	signal: AbortSignal | null = null,
): Promise<ConnectedGateway> {
	const address = baseUrl ?? readEnvironment("MESSAGING_GATEWAY_BASE_URL") ?? LOCAL_GATEWAY.baseUrl;
	assertHttpUrl("--base-url", address);
	return connect({
		baseUrl: address,
		token: readControlToken(controlToken),
		fetch: (url, init) => platformFetch(url, { ...init, signal }),
	});
}
