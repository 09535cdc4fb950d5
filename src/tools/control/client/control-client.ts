import type { Action } from "../action.ts";
import {
	type ActionDone,
	CONTROL_VERSION,
	CONTROL_VERSION_HEADER,
	type ControlProblem,
	type DeliveryView,
	type MessageView,
	type Page,
	type PageQuery,
	type RequestDetails,
	type RequestView,
} from "../contract.ts";
import { CONTROL_ROUTES, type ControlContract, type ControlOperationId } from "../routes.ts";
import type { LocalControlFailure } from "./control-error.ts";

/** Sends the requests. */
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

/** The lists of the gateway that come in pages. */
export interface Lists {
	readonly messages: MessageView;
	readonly deliveries: DeliveryView;
	readonly requests: RequestView;
}

const LISTS = { messages: "listMessages", deliveries: "listDeliveries", requests: "listRequests" } as const;

/** What tells nothing but a value, and takes nothing. */
type FactId = "getClock" | "getFaults" | "getCredentials";

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
		return this.#read("act", action);
	}

	/** Reads what is always there. */
	get<Id extends FactId>(id: Id): Promise<ControlContract[Id]["data"]> {
		return this.#read(id, {});
	}

	/** The items of a list that a query selects. */
	page<Name extends keyof Lists>(
		name: Name,
		query: PageQuery = {},
		signal?: AbortSignal,
	): Promise<Page<Lists[Name]>> {
		return this.#read(LISTS[name], query, signal);
	}

	/** A request with its headers and bodies. */
	request(id: string): Promise<RequestDetails> {
		return this.#read("getRequest", { id });
	}

	/** A request as the source of a vitest test. */
	async testOfRequest(id: string): Promise<string> {
		return (await this.#call("getRequestTest", { id })).text();
	}

	/** The bytes of an attachment that the gateway keeps. */
	async attachment(id: string): Promise<Blob> {
		return (await this.#call("getAttachment", { id })).blob();
	}

	/** Opens the stream of all changes; the signal ends it. */
	async openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
		const { body } = await this.#call("streamChanges", {}, signal);
		if (body === null) throw this.#unexpected("The gateway sent no stream.");
		return body;
	}

	/** `Result` is the operation's type in the contract, whose version `#call` has checked. */
	async #read<Result, Id extends ControlOperationId = ControlOperationId>(
		id: Id,
		input: ControlContract[Id]["input"],
		signal?: AbortSignal,
	): Promise<Result> {
		return this.#readJson(await this.#call(id, input, signal));
	}

	async #call<Id extends ControlOperationId>(
		id: Id,
		input: ControlContract[Id]["input"],
		signal?: AbortSignal,
	): Promise<Response> {
		const {
			baseUrl,
			token,
			fetch: send,
			whenUnreachable,
			whenUnauthorized,
			describeForeign,
			toError,
		} = this.#address;
		const { path, init } = writeRequest(id, input);
		const headers = { ...init.headers, Authorization: `Bearer ${token}` };
		const response = await send(`${baseUrl}${path}`, {
			...init,
			...(signal && { signal }),
			headers,
			redirect: "error",
		}).catch(() => {
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

/** Writes the fields of an input into the path, and the others into the query or the body. */
function writeRequest(id: ControlOperationId, input: object): { path: string; init: RequestInit } {
	const [method, template] = CONTROL_ROUTES[id];
	const others = new URLSearchParams();
	let path: string = template;
	for (const [name, value] of Object.entries(input)) {
		if (value === undefined) continue;
		if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
		else others.append(name, String(value));
	}
	if (method === "GET") return { path: others.size === 0 ? path : `${path}?${others}`, init: { method } };
	const headers = { "Content-Type": "application/json" };
	return { path, init: { method, headers, body: JSON.stringify(input) } };
}
