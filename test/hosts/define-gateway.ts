import type { ListeningGateway } from "messaging-gateway/testing/node";
import type { Gateway } from "./actions.ts";

/** Writes the options of a gateway's clients into code that is bundled. */
export function defineGateway({ clientOptions }: ListeningGateway): { GATEWAY: string } {
	const { clock: _, profile: _none, ...options } = clientOptions;
	return { GATEWAY: JSON.stringify(options satisfies Gateway) };
}
