import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import type { DiagnoseOptions, Diagnosis } from "./diagnosis.ts";
import { diagnoseWithForm } from "./run-diagnosis.ts";

/**
 * Finds out whether your client's calls work, and why they fail. It connects to the gateway, measures its latency and
 * clock, and tries signed calls in the forms that a gateway may use, one after the other. It makes about 10 requests if
 * everything works, and up to a few dozen to find another signing form. With `probeBody` it makes 2 more, up to 8 to
 * find a form of bodies that has a name, or up to 36 to find another one. They only read unless you set `probeBody`,
 * and change nothing in the client or the gateway. Responses of the gateway and failures of the network are its result,
 * never an error.
 *
 * @example
 * ```ts
 * const { isHealthy, findings } = await diagnose(new MessagingGateway());
 * for (const { certainty, message, fix } of findings) console.log(`${certainty}: ${message} ${fix}`);
 * ```
 * @param gateway - the client whose options are tried.
 * @throws ConfigurationError (`configuration`) if an option of this call or of the client is missing or invalid, or
 * the signer or the `appSecret` function fails.
 * @throws the reason of the caller's signal.
 */
export async function diagnose(gateway: MessagingGateway, options: DiagnoseOptions = {}): Promise<Diagnosis> {
	return (await diagnoseWithForm(gateway, options)).diagnosis;
}
