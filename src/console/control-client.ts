import type { Action, ClientCredentials } from "../local-gateway/control/contract.ts";

/** A control call that the gateway rejected, or that never reached it. */
export class ControlError extends Error {
	/** The HTTP status; 0 if there was no response. */
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.name = "ControlError";
		this.status = status;
	}
}

/** Calls the control routes of the gateway that served the page, with its token. */
export class ControlClient {
	readonly #token: string;
	readonly #fetch: typeof fetch;

	constructor(token: string, fetchLike: typeof fetch = (input, init) => fetch(input, init)) {
		this.#token = token;
		this.#fetch = fetchLike;
	}

	/** Performs an action. @throws ControlError with the gateway's message. */
	async act(action: Action): Promise<void> {
		const body = JSON.stringify(action);
		await this.#request("/_local/actions", {
			method: "POST",
			body,
			headers: { "Content-Type": "application/json" },
		});
	}

	/** The credentials that clients sign with. */
	async credentials(): Promise<ClientCredentials> {
		const response = await this.#request("/_local/credentials", { cache: "no-store" });
		return response.json();
	}

	/** The conversation as the source of a vitest test. */
	async testOf(conversationKey: string): Promise<string> {
		const response = await this.#request(`/_local/test?conversation=${encodeURIComponent(conversationKey)}`);
		return response.text();
	}

	/** The bytes of an attachment that the gateway keeps. */
	async attachment(id: string): Promise<Blob> {
		const response = await this.#request(`/_local/attachments/${encodeURIComponent(id)}`);
		return response.blob();
	}

	/** Opens the stream of all changes; the signal ends it. */
	async openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
		const { body } = await this.#request("/_local/stream", { signal, cache: "no-store" });
		if (body === null) throw new ControlError(0, "The gateway sent no stream.");
		return body;
	}

	async #request(path: string, init: RequestInit = {}): Promise<Response> {
		const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
		const response = await this.#fetch(path, { ...init, headers }).catch(() => {
			throw new ControlError(0, "The gateway cannot be reached. Is the command still running?");
		});
		if (response.ok) return response;
		throw new ControlError(response.status, await readProblem(response));
	}
}

/** The message of `{ error: { message } }`, or else a sentence with the status. */
async function readProblem(response: Response): Promise<string> {
	const body: unknown = await response.json().catch(() => undefined);
	const error = readField(body, "error");
	const message = readField(error, "message");
	return typeof message === "string" ? message : `The gateway responded with ${response.status}.`;
}

function readField(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
