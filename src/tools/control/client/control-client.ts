import {
	type Action,
	type ActionDone,
	type ClientCredentials,
	CONTROL_VERSION,
	CONTROL_VERSION_HEADER,
	type ControlProblem,
	type DeliveryView,
	type GatewayTime,
	type MessageView,
	type Page,
	type PageQuery,
	type RequestDetails,
	type RequestView,
} from "../contract.ts";
import type { LocalControlFailure } from "./control-error.ts";

/** How requests are sent. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where a gateway's control is, and what to say of it. */
export interface ControlAddress {
	/** Without a trailing slash; empty for a page of the gateway itself. */
	readonly baseUrl: string;
	readonly token: string;
	readonly fetch: Fetch;
	/** What to do when nothing responds, in a sentence or two. */
	readonly whenUnreachable: string;
	/** What to do about a wrong token. @default what the gateway says */
	readonly whenUnauthorized?: string;
	/** What to do about a response without this version of the control, `null` if it names none. */
	readonly describeForeign: (version: string | null) => string;
	/** Makes the error of a call that failed. */
	readonly toError: (reason: LocalControlFailure, message: string) => Error;
}

/** What a route responds that takes no parameters. */
export interface Facts {
	/** The credentials that clients sign with. */
	readonly credentials: ClientCredentials;
	/** The gateway's time. */
	readonly clock: GatewayTime;
	/** The active faults, in words. */
	readonly faults: readonly string[];
}

/** The lists of the gateway that come in pages. */
export interface Lists {
	readonly messages: MessageView;
	readonly deliveries: DeliveryView;
	readonly requests: RequestView;
}

/**
 * Calls the control routes of a local gateway over HTTP. Nothing is retried: an action must not be done twice. Every
 * method throws what `toError` returns.
 */
export class ControlClient {
	readonly #address: ControlAddress;

	constructor(address: ControlAddress) {
		this.#address = address;
	}

	/** Performs an action. */
	act(action: Action): Promise<ActionDone> {
		const headers = { "Content-Type": "application/json" };
		return this.#read("actions", { method: "POST", headers, body: JSON.stringify(action) });
	}

	/** Reads what is always there. */
	get<Name extends keyof Facts>(name: Name): Promise<Facts[Name]> {
		return this.#read(name);
	}

	/** The items of a list that a query selects. */
	page<Name extends keyof Lists>(
		name: Name,
		query: PageQuery = {},
		signal?: AbortSignal,
	): Promise<Page<Lists[Name]>> {
		const given = Object.entries(query).filter(([, value]) => value !== undefined);
		return this.#read(`${name}?${new URLSearchParams(given)}`, signal && { signal });
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
		const { body } = await this.#call("stream", { signal });
		if (body === null) throw this.#unexpected("The gateway sent no stream.");
		return body;
	}

	/** `Result` is the route's type in the contract, whose version `#call` has checked. */
	async #read<Result>(route: string, init?: RequestInit): Promise<Result> {
		return this.#readJson(await this.#call(route, init));
	}

	async #call(route: string, init: RequestInit = {}): Promise<Response> {
		const {
			baseUrl,
			token,
			fetch: send,
			whenUnreachable,
			whenUnauthorized,
			describeForeign,
			toError,
		} = this.#address;
		const headers = { ...init.headers, Authorization: `Bearer ${token}` };
		const url = `${baseUrl}/_local/${route}`;
		const response = await send(url, { ...init, headers, redirect: "error" }).catch(() => {
			throw toError("unreachable", whenUnreachable);
		});
		const version = response.headers.get(CONTROL_VERSION_HEADER);
		if (version !== CONTROL_VERSION) throw this.#unexpected(describeForeign(version));
		if (response.ok) return response;
		const { error } = await this.#readJson<ControlProblem>(response);
		throw toError(error.code, (error.code === "unauthorized" && whenUnauthorized) || error.message);
	}

	async #readJson<Result>(response: Response): Promise<Result> {
		return response.json().catch(() => {
			throw this.#unexpected("The gateway responded with something other than JSON.");
		});
	}

	#unexpected(message: string): Error {
		return this.#address.toError("unexpected_response", message);
	}
}
