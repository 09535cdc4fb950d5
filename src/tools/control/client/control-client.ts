import { CONTROL_VERSION, CONTROL_VERSION_HEADER, type ControlProblem } from "../contract.ts";
import { LocalControlError } from "./control-error.ts";

const WRONG_TOKEN =
	"The control token is not that of this gateway: give the same one to both, with MESSAGING_GATEWAY_CONTROL_TOKEN or --control-token.";

/** How requests are sent. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Calls the control routes of a local gateway over HTTP. */
export class ControlClient {
	readonly #baseUrl: string;
	readonly #token: string;
	readonly #fetch: Fetch;

	constructor(baseUrl: string, token: string, send: Fetch) {
		this.#baseUrl = baseUrl;
		this.#token = token;
		this.#fetch = send;
	}

	/** Reads a route of the contract. `Result` is its type there, which the checked version of the contract ensures. */
	async get<Result>(route: string, query: object = {}): Promise<Result> {
		const parameters = new URLSearchParams();
		for (const [name, value] of Object.entries(query)) {
			if (value !== undefined) parameters.set(name, String(value));
		}
		return this.#call(parameters.size === 0 ? route : `${route}?${parameters}`, { method: "GET" });
	}

	/** Sends an action. */
	post<Result>(route: string, body: object): Promise<Result> {
		return this.#call(route, {
			method: "POST",
			body: JSON.stringify(body),
			headers: { "Content-Type": "application/json" },
		});
	}

	async #call<Result>(route: string, init: RequestInit): Promise<Result> {
		const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
		const url = `${this.#baseUrl}/_local/${route}`;
		const send = this.#fetch;
		const response = await send(url, { ...init, headers, redirect: "error" }).catch(() => {
			throw new LocalControlError(
				"unreachable",
				`No local gateway responded at ${this.#baseUrl}: start one with \`messaging-gateway dev\`, or name the address of another one.`,
			);
		});
		const version = response.headers.get(CONTROL_VERSION_HEADER);
		if (version !== CONTROL_VERSION) throw unexpected(describeVersion(this.#baseUrl, version));
		const body: unknown = await response.json().catch(() => {
			throw unexpected(`The gateway at ${this.#baseUrl} responded with something other than JSON.`);
		});
		// Both casts rest on the header: it is this version of the contract.
		if (response.ok) return body as Result;
		const { error } = body as ControlProblem;
		throw new LocalControlError(error.code, error.code === "unauthorized" ? WRONG_TOKEN : error.message);
	}
}

function unexpected(message: string): LocalControlError {
	return new LocalControlError("unexpected_response", message);
}

function describeVersion(baseUrl: string, version: string | null): string {
	if (version === null)
		return `What responds at ${baseUrl} is not a local gateway that can be controlled: name the address of \`messaging-gateway dev\`.`;
	return `The gateway at ${baseUrl} has version ${version.slice(0, 8)} of the control, and this package version ${CONTROL_VERSION}: use the same version of messaging-gateway.`;
}
