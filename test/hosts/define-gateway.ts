import type { ListeningGateway } from "messaging-gateway/testing/node";
import type { Gateway } from "./actions.ts";

/** What a client of a gateway needs, as it can be written into code. */
export function toGateway({ clientOptions }: ListeningGateway): Gateway {
	const { clock: _, profile: _none, ...options } = clientOptions;
	return options;
}

/** Writes what a client needs into the code that a host runs. */
export function defineGateway(gateway: ListeningGateway): { GATEWAY: string } {
	return { GATEWAY: JSON.stringify(toGateway(gateway)) };
}
