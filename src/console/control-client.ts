import ky, { isHTTPError, type KyInstance, type Options } from "ky";
import type { Action, ClientCredentials } from "../control/contract.ts";

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
	readonly #api: KyInstance;

	/** @param options - what stands for the page's own address and `fetch`, for tests. */
	constructor(token: string, options: Pick<Options, "baseUrl" | "fetch"> = {}) {
		this.#api = ky.create({
			...options,
			headers: { Authorization: `Bearer ${token}` },
			// An action must not be done twice, and whoever shows the page tries again by hand.
			retry: 0,
			timeout: false,
			hooks: { beforeError: [({ error }) => toControlError(error)] },
		});
	}

	/** Performs an action. @throws ControlError with the gateway's message. */
	async act(action: Action): Promise<void> {
		await this.#api.post("/_local/actions", { json: action });
	}

	/** The credentials that clients sign with. */
	credentials(): Promise<ClientCredentials> {
		return this.#api.get("/_local/credentials", { cache: "no-store" }).json();
	}

	/** The conversation as the source of a vitest test. */
	testOf(conversation: string): Promise<string> {
		return this.#api.get("/_local/test", { searchParams: { conversation } }).text();
	}

	/** The bytes of an attachment that the gateway keeps. */
	attachment(id: string): Promise<Blob> {
		return this.#api.get(`/_local/attachments/${encodeURIComponent(id)}`).blob();
	}

	/** Opens the stream of all changes; the signal ends it. */
	async openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
		const { body } = await this.#api.get("/_local/stream", { signal, cache: "no-store" });
		if (body === null) throw new ControlError(0, "The gateway sent no stream.");
		return body;
	}
}

function toControlError(error: Error): ControlError {
	if (isHTTPError(error)) {
		const { status } = error.response;
		return new ControlError(status, readProblem(error.data) ?? `The gateway responded with ${status}.`);
	}
	return new ControlError(0, "The gateway cannot be reached. Is the command still running?");
}

/** The message of `{ error: { message } }`. */
function readProblem(body: unknown): string | undefined {
	const message = readField(readField(body, "error"), "message");
	return typeof message === "string" ? message : undefined;
}

function readField(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
