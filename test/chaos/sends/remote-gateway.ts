import type { Action } from "../../../src/control/contract.ts";
import { startChild } from "../child.ts";
import { ACCEPTED_PATH, CONTROL_TOKEN, SENDS_VARIABLE, type SendsSettings } from "./settings.ts";

/** What the gateway has accepted. */
export interface Accepted {
	readonly sent: readonly { readonly to: string; readonly text: string }[];
	/** Status events that their receiver has not acknowledged. */
	readonly undelivered: number;
}

/** The gateway in its process, beside its API. */
export class RemoteGateway implements Disposable {
	readonly url: string;
	readonly #end: () => void;

	private constructor(port: string, end: () => void) {
		this.url = `http://127.0.0.1:${port}`;
		this.#end = end;
	}

	static async start(settings: Partial<SendsSettings>): Promise<RemoteGateway> {
		const script = new URL("gateway.ts", import.meta.url);
		const child = await startChild(script, SENDS_VARIABLE, settings);
		return new RemoteGateway(child.firstLine, () => child.process.kill("SIGKILL"));
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

	[Symbol.dispose](): void {
		this.#end();
	}
}
