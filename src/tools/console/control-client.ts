import type {
	Action,
	ClientCredentials,
	DeliveryView,
	MessageView,
	Page,
	PageQuery,
	RequestDetails,
	RequestView,
} from "../control/contract.ts";

/** A control call that the gateway rejected, or that got no response. */
export class ControlError extends Error {
	/** The HTTP status; 0 if there was no response. */
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.name = "ControlError";
		this.status = status;
	}
}

/** The lists of the gateway that come in pages. */
export interface Lists {
	readonly messages: MessageView;
	readonly deliveries: DeliveryView;
	readonly requests: RequestView;
}

/** What stands for the page's own address and `fetch`, for tests. */
export interface ControlClientOptions {
	readonly baseUrl?: string;
	readonly fetch?: typeof fetch;
}

/**
 * Calls the control routes of the gateway that served the page, with its token. Nothing is retried: an action must not
 * be done twice, and whoever shows the page tries again by hand.
 */
export class ControlClient {
	readonly #token: string;
	readonly #baseUrl: string;
	readonly #fetch: typeof fetch;

	constructor(token: string, options: ControlClientOptions = {}) {
		this.#token = token;
		this.#baseUrl = options.baseUrl ?? "";
		this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
	}

	/** Performs an action. @throws ControlError with the gateway's message. */
	async act(action: Action): Promise<void> {
		const headers = { "Content-Type": "application/json" };
		await this.#call("actions", { method: "POST", headers, body: JSON.stringify(action) });
	}

	/** The credentials that clients sign with. */
	credentials(): Promise<ClientCredentials> {
		return this.#read("credentials", { cache: "no-store" });
	}

	/** The items of a list that a query selects. */
	page<Name extends keyof Lists>(
		name: Name,
		query: PageQuery,
		signal?: AbortSignal,
	): Promise<Page<Lists[Name]>> {
		const parameters = new URLSearchParams();
		for (const [key, value] of Object.entries(query)) {
			if (value !== undefined) parameters.set(key, String(value));
		}
		return this.#read(`${name}?${parameters}`, signal && { signal });
	}

	/** A request with its headers and bodies. */
	request(requestId: string): Promise<RequestDetails> {
		return this.#read(`requests/${encodeURIComponent(requestId)}`);
	}

	/** The conversation as the source of a vitest test. */
	async testOf(conversation: string): Promise<string> {
		return (await this.#call(`test?${new URLSearchParams({ conversation })}`)).text();
	}

	/** A request as the source of a vitest test. */
	async testOfRequest(requestId: string): Promise<string> {
		return (await this.#call(`requests/${encodeURIComponent(requestId)}/test`)).text();
	}

	/** The bytes of an attachment that the gateway keeps. */
	async attachment(id: string): Promise<Blob> {
		return (await this.#call(`attachments/${encodeURIComponent(id)}`)).blob();
	}

	/** Opens the stream of all changes; the signal ends it. */
	async openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
		const { body } = await this.#call("stream", { signal, cache: "no-store" });
		if (body === null) throw new ControlError(0, "The gateway sent no stream.");
		return body;
	}

	/** Reads a response without checks: the page and the gateway come from the same build. */
	async #read<Result>(route: string, init?: RequestInit): Promise<Result> {
		return (await this.#call(route, init)).json();
	}

	async #call(route: string, init: RequestInit = {}): Promise<Response> {
		const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
		const send = this.#fetch;
		const response = await send(`${this.#baseUrl}/_local/${route}`, { ...init, headers }).catch(() => {
			throw new ControlError(0, "The gateway cannot be reached. Is the command still running?");
		});
		if (response.ok) return response;
		const problem = readProblem(await response.json().catch(() => undefined));
		throw new ControlError(response.status, problem ?? `The gateway responded with ${response.status}.`);
	}
}

/** The message of `{ error: { message } }`. */
function readProblem(body: unknown): string | undefined {
	const message = readField(readField(body, "error"), "message");
	return typeof message === "string" ? message : undefined;
}

function readField(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
