import { type ConnectedGateway, connect } from "../../control/client/connect.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { CONTROL_TOKEN_VARIABLE, readControlToken } from "../credentials/control-token.ts";
import { assertHttpUrl, chooseBaseUrl } from "../gateway-options.ts";
import type { OptionsOf } from "../verb.ts";

/** The flags of every verb that needs the control of a local gateway. */
export const CONTROL_FLAGS = {
	"--base-url <url>": "a local gateway (MESSAGING_GATEWAY_BASE_URL; default: the one that runs)",
	"--control-token <token>": `its token (${CONTROL_TOKEN_VARIABLE}; default: this machine's own)`,
} as const;

/**
 * Connects to the local gateway that the options name.
 * @param signal - ends every request of the connection.
 */
export async function connectTo(
	{ baseUrl, controlToken }: OptionsOf<typeof CONTROL_FLAGS>,
	signal: AbortSignal | null = null,
): Promise<ConnectedGateway> {
	const address = await chooseBaseUrl(baseUrl);
	assertHttpUrl("--base-url", address);
	return connect({
		baseUrl: address,
		token: readControlToken(controlToken),
		fetch: (url, init) => toolFetch(url, { ...init, signal }),
	});
}
