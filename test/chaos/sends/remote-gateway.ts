import type { Action } from "../../../src/tools/control/contract.ts";
import { ACCEPTED_PATH, CONTROL_TOKEN } from "./settings.ts";

/** What the gateway has accepted. */
export interface Accepted {
	readonly sent: readonly { readonly to: string; readonly text: string }[];
	/** Status events that their receiver has not acknowledged. */
	readonly undelivered: number;
}

/** The gateway in its process. */
export class RemoteGateway {
	readonly url: string;

	constructor(port: string) {
		this.url = `http://127.0.0.1:${port}`;
	}

	/** Performs an action by the gateway's control. @returns whether it was possible. */
	async act(action: Action): Promise<boolean> {
		const headers = { Authorization: `Bearer ${CONTROL_TOKEN}` };
		const body = JSON.stringify(action);
		const response = await fetch(`${this.url}/_local/actions`, { method: "POST", headers, body });
		await response.arrayBuffer();
		return response.ok;
	}

	/** Every message that it has accepted. */
	async accepted(): Promise<Accepted> {
		return (await fetch(this.url + ACCEPTED_PATH)).json() as Promise<Accepted>;
	}
}
